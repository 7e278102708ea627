import { expect, test } from 'vitest'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { quotaRules } from './quota-kinds.ts'

const rows: readonly (readonly [because: string, hard: object, errors: readonly string[]])[] = [
  ['objects of a core kind are counted', { pods: '4', 'services.nodeports': '1' }, []],
  ['compute is limited', { cpu: '1', 'limits.memory': '1Gi', 'requests.storage': '1Ti' }, []],
  ['any name with a domain is valid', { 'count/jobs.batch': '3', 'example.dev/gpu': '1' }, []],
  ['huge pages have a size', { 'hugepages-2Mi': '2Mi', 'requests.hugepages-1Gi': '1Gi' }, []],
  [
    'storage is only valid for volumes',
    { storage: '1' },
    ['must be a standard resource for quota'],
  ],
  ['the number of pods is an integer', { pods: '500m' }, ['must be an integer']],
  ['quantities are not negative', { cpu: '-1' }, ['must be greater than or equal to 0']],
]

test.each(rows)('%s', (_because, hard, messages) => {
  const quota = { metadata: { name: 'x' }, spec: { hard } } as unknown as BuiltinObject
  const errors = quotaRules.validate?.(quota) ?? []
  expect(errors.map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, ''))).toEqual(
    messages,
  )
})

import { expect, test } from 'vitest'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { quotaRules } from './quota-kinds.ts'

const rows: readonly (readonly [because: string, hard: object, errors: readonly string[]])[] = [
  ['objects of a core kind are counted', { pods: '4', 'services.nodeports': '1' }, []],
  ['compute is limited', { cpu: '1', 'limits.memory': '1Gi', 'requests.storage': '1Ti' }, []],
  ['a name with a domain may be any', { 'count/jobs.batch': '3', 'example.dev/gpu': '1' }, []],
  ['huge pages have a size', { 'hugepages-2Mi': '2Mi', 'requests.hugepages-1Gi': '1Gi' }, []],
  ['storage belongs to volumes', { storage: '1' }, ['must be a standard resource for quota']],
  ['there is no half pod', { pods: '500m' }, ['must be an integer']],
  ['nothing is less than none', { cpu: '-1' }, ['must be greater than or equal to 0']],
]

test.each(rows)('%s', (_because, hard, messages) => {
  const quota = { metadata: { name: 'x' }, spec: { hard } } as unknown as BuiltinObject
  const errors = quotaRules.validate?.(quota) ?? []
  expect(errors.map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, ''))).toEqual(
    messages,
  )
})

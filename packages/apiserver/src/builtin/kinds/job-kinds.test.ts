import { expect, test } from 'vitest'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { jobRules } from './job-kinds.ts'

const pods = (spec: object, more: object = {}): object => ({
  ...more,
  spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }], ...spec },
})
const job = (template: object, suspend: boolean, status: object = {}): BuiltinObject =>
  ({ metadata: { name: 'x' }, spec: { suspend, template }, status }) as unknown as BuiltinObject
const resources = { containers: [{ name: 'a', image: 'a', resources: { limits: { cpu: '1' } } }] }
const suspendedLater = {
  startTime: '2024-01-01T00:00:00Z',
  conditions: [{ type: 'Suspended', status: 'True' }],
}

const rows: readonly (readonly [
  because: string,
  old: BuiltinObject,
  next: object,
  fields: readonly string[],
])[] = [
  [
    'a job that runs keeps its template',
    job(pods({}), false),
    pods({ nodeSelector: { a: 'b' } }),
    ['spec.template'],
  ],
  ['one that waits may go elsewhere', job(pods({}), true), pods({ nodeSelector: { a: 'b' } }), []],
  ['one that waits may need more', job(pods({}), true), pods(resources), []],
  [
    'one that waits may be labelled',
    job(pods({}), true),
    pods({}, { metadata: { labels: { a: 'b' } } }),
    [],
  ],
  [
    'one that waits does what it did',
    job(pods({}), true),
    pods({ containers: [{ name: 'a', image: 'b' }] }),
    ['spec.template.spec'],
  ],
  [
    'one that waits again may go elsewhere',
    job(pods({}), true, suspendedLater),
    pods({ nodeSelector: { a: 'b' } }),
    [],
  ],
  [
    'its pods have to be gone first',
    job(pods({}), true, { ...suspendedLater, active: 1 }),
    pods({ nodeSelector: { a: 'b' } }),
    ['spec.template'],
  ],
]

test.each(rows)('%s', (_because, old, template, fields) => {
  const errors = jobRules.validateUpdate?.(job(template, true), old) ?? []
  expect(errors.map(({ field }) => field)).toEqual(fields)
})

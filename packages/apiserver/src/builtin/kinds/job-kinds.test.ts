import { expect, test } from 'vitest'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { jobRules } from './job-kinds.ts'

function pods(spec: object, more: object = {}): object {
  return {
    ...more,
    spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }], ...spec },
  }
}
function job(template: object, suspend: boolean, status: object = {}): BuiltinObject {
  return {
    metadata: { name: 'x' },
    spec: { suspend, template },
    status,
  } as unknown as BuiltinObject
}
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
    'the template of a running job is immutable',
    job(pods({}), false),
    pods({ nodeSelector: { a: 'b' } }),
    ['spec.template'],
  ],
  [
    'scheduling of a suspended job can change',
    job(pods({}), true),
    pods({ nodeSelector: { a: 'b' } }),
    [],
  ],
  ['resources of a suspended job can change', job(pods({}), true), pods(resources), []],
  [
    'labels of a suspended job can change',
    job(pods({}), true),
    pods({}, { metadata: { labels: { a: 'b' } } }),
    [],
  ],
  [
    'the image of a suspended job is immutable',
    job(pods({}), true),
    pods({ containers: [{ name: 'a', image: 'b' }] }),
    ['spec.template.spec'],
  ],
  [
    'scheduling of a job that was suspended again can change',
    job(pods({}), true, suspendedLater),
    pods({ nodeSelector: { a: 'b' } }),
    [],
  ],
  [
    'scheduling of a suspended job with active pods is immutable',
    job(pods({}), true, { ...suspendedLater, active: 1 }),
    pods({ nodeSelector: { a: 'b' } }),
    ['spec.template'],
  ],
]

test.each(rows)('%s', (_because, old, template, fields) => {
  const errors = jobRules.validateUpdate?.(job(template, true), old) ?? []
  expect(errors.map(({ field }) => field)).toEqual(fields)
})

import { compileRules, type Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { toolRun } from './kind.ts'

const { spec: schema } = toolRun
const rules = compileRules(toolRun.schema, { resourceRoot: true })

function changes(before: Json, after: Json): string[] {
  const whole = (spec: Json) => ({
    ...{ apiVersion: toolRun.apiVersion, kind: 'ToolRun', metadata: { name: 'run' } },
    ...(spec !== null && { spec }),
  })
  const problems = rules?.validate(whole(after), whole(before), { path: '' }) ?? []
  return problems.map(({ message }) => message)
}

const base = { toolRef: { name: 'a' } }

const values: Readonly<Record<string, readonly [Json, Json]>> = {
  toolRef: [{ name: 'a' }, { name: 'b' }],
  parameters: [{ x: 'a' }, { x: 'b' }],
  deliveryId: ['a', 'b'],
  policy: [{ approvalPolicyRef: { name: 'a' } }, { approvalPolicyRef: { name: 'b' } }],
  priority: [1, 2],
  timeoutSeconds: [1, 2],
  retries: [1, 2],
  retryBackoffSeconds: [1, 2],
}

/** Nothing reads `runtime`, so that a change of it changes nothing. */
const changeable = ['cancel', 'ttlSecondsAfterFinished', 'runtime']

describe('the spec of a ToolRun', () => {
  test('has fields that are fixed, and these', () => {
    const fields = Object.keys(schema.properties ?? {})
    expect(fields.toSorted()).toEqual([...Object.keys(values), ...changeable].toSorted())
  })

  test.each(Object.entries(values))(
    'does not let %s change, and names it',
    (name, [one, other]) => {
      const refused = [expect.stringContaining(`${name}: the field is immutable`)]
      expect(changes({ ...base, [name]: one }, { ...base, [name]: other })).toEqual(refused)
      expect(changes({ ...base, [name]: one }, { ...base, [name]: one })).toEqual([])
    },
  )

  test('cannot be removed to be changed', () => {
    expect(changes(base, null)).toEqual([expect.stringContaining('cannot be removed')])
  })

  test('lets a run be cancelled, and not continued', () => {
    expect(changes(base, { ...base, cancel: true })).toEqual([])
    expect(changes({ ...base, cancel: true }, base)).toEqual([
      expect.stringContaining('cancel cannot be reverted'),
    ])
  })
})

import { compileRules, type Json, type Schema } from '@agents/crd'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { AgentRun } from './kind.ts'
import { agentRunSpec } from './spec.ts'

const changeable = ['cancel', 'ttlSecondsAfterFinished']
const rules = agentRunSpec['x-kubernetes-validations'] ?? []
const fields = agentRunSpec.properties ?? {}
const fixed = Object.keys(fields).filter((name) => !changeable.includes(name))
const base: Record<string, Json> = { agentRef: { name: 'a' }, implementation: {}, runtime: {} }
const compiled = compileRules(agentRunSpec, { resourceRoot: false })

function changes(before: Json, after: Json) {
  return compiled?.validate(after, before, { path: 'spec' })
}

/** A value that the field may have, with this text in it. */
function sample(schema: Schema = {}, text: string): Json {
  const { type, properties = {}, additionalProperties, items } = schema
  if (type === 'string') return text
  if (type === 'integer') return text.length
  if (type === 'boolean') return true
  if (type === 'array') return [sample(items, text)]
  if (typeof additionalProperties === 'object') return { key: sample(additionalProperties, text) }
  const values = Object.entries(properties).map(([name, one]) => [name, sample(one, text)])
  return Object.fromEntries(values) as Json
}

describe('the spec of an AgentRun', () => {
  test.each(fixed)('does not let %s appear, change or disappear, and names it', (name) => {
    const without = { ...base }
    delete without[name]
    const one = { ...base, [name]: sample(fields[name], 'a') }
    const other = { ...base, [name]: sample(fields[name], 'bc') }
    const refusals = [
      {
        field: 'spec',
        reason: 'FieldValueForbidden',
        message: expect.stringContaining(`: ${name}: `),
      },
    ]
    expect(changes(one, other)).toEqual(refusals)
    expect(changes(one, without)).toEqual(expect.arrayContaining(refusals))
    expect(changes(without, one)).toEqual(expect.arrayContaining(refusals))
    expect(changes(one, structuredClone(one))).toEqual([])
  })

  test.each(changeable)('lets %s appear', (name) => {
    expect(changes(base, { ...base, [name]: sample(fields[name], 'a') })).toEqual([])
  })

  test('does not let a cancelled run go on', () => {
    expect(changes({ ...base, cancel: true }, base)).toMatchObject([{ field: 'spec.cancel' }])
  })

  test('names, in every rule, fields that it has', () => {
    for (const { rule } of rules) {
      for (const [, name = ''] of rule.matchAll(/\b(?:self|oldSelf)\.(\w+)/g)) {
        expect(Object.keys(agentRunSpec.properties ?? {})).toContain(name)
      }
    }
  })

  test('bounds every list and map that a guard compares', () => {
    const unbounded = Object.entries(agentRunSpec.properties ?? {}).filter(
      ([, { type, additionalProperties, maxItems, maxProperties }]) =>
        (type === 'array' && maxItems === undefined) ||
        (additionalProperties !== undefined && maxProperties === undefined),
    )
    expect(unbounded).toEqual([])
  })

  test('gives the types that controllers work with', () => {
    type Spec = AgentRun['spec']
    expectTypeOf<Spec['agentRef']>().toEqualTypeOf<{ name: string }>()
    expectTypeOf<Spec['runtime']['type']>().toEqualTypeOf<
      'workflow' | 'job' | 'temporal' | 'custom'
    >()
    expectTypeOf<Spec['cancel']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<Spec['parameters']>().toEqualTypeOf<Record<string, string> | undefined>()
    expectTypeOf<NonNullable<Spec['workflow']>['steps'][number]['retries']>().toEqualTypeOf<
      number | undefined
    >()
    type Status = NonNullable<AgentRun['status']>
    expectTypeOf<NonNullable<Status['vcs']>['pullRequest']>().toEqualTypeOf<
      | {
          number?: number
          url?: string
          state?: 'Pending' | 'Open' | 'Merged' | 'Closed' | 'Failed'
          draft?: boolean
          checks?: 'Pending' | 'Passing' | 'Failing'
          reviewDecision?: 'Approved' | 'ChangesRequested'
          autoMerge?: {
            state: 'Enabled' | 'Waiting' | 'NotAllowed' | 'Unsupported' | 'Disabled'
            message?: string
          }
          message?: string
        }
      | undefined
    >()
    expectTypeOf<Status['observedGeneration']>().toEqualTypeOf<number | undefined>()
  })
})

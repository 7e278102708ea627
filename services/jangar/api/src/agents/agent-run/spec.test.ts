import { describe, expect, expectTypeOf, test } from 'vitest'
import type { AgentRun } from './kind.ts'
import { agentRunSpec } from './spec.ts'

const changeable = ['cancel', 'ttlSecondsAfterFinished']
const rules = agentRunSpec['x-kubernetes-validations'] ?? []

describe('the spec of an AgentRun', () => {
  test('guards every field against change, but for the two that may change', () => {
    const guarded = rules
      .filter(({ rule }) => rule.includes('== oldSelf.'))
      .map(({ fieldPath }) => fieldPath?.slice(1))
    const fixed = Object.keys(agentRunSpec.properties ?? {}).filter(
      (name) => !changeable.includes(name),
    )
    expect(guarded.toSorted()).toEqual(fixed.toSorted())
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
      { number?: number; url?: string } | undefined
    >()
    expectTypeOf<Status['observedGeneration']>().toEqualTypeOf<number | undefined>()
  })
})

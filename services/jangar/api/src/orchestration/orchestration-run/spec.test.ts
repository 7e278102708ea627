import { compileRules, type Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { orchestrationRun } from './kind.ts'

const spec = orchestrationRun.schema.properties?.spec ?? {}
const compiled = compileRules(spec, { resourceRoot: false })
const base = { orchestrationRef: { name: 'nightly' } }

function changes(before: Json, after: Json) {
  return compiled?.validate(after, before, { path: 'spec' })
}

describe('the spec of an OrchestrationRun', () => {
  test.each([
    { name: 'orchestrationRef', value: { name: 'nightly' }, other: { name: 'weekly' } },
    { name: 'parameters', value: { stage: 'test' }, other: { stage: 'production' } },
    { name: 'deliveryId', value: 'one', other: 'two' },
    { name: 'timeoutSeconds', value: 60, other: 0 },
    { name: 'priority', value: 1, other: 2 },
    {
      name: 'policy',
      value: { approvalPolicyRef: { name: 'people' } },
      other: { approvalPolicyRef: { name: 'robots' } },
    },
    {
      name: 'resumeFrom',
      value: { name: 'first' },
      other: { name: 'first', steps: ['review'] },
    },
  ])('does not let $name change, and names it', ({ name, value, other }) => {
    const refusal = { field: 'spec', message: expect.stringContaining(`: ${name}: `) }
    const one = { ...base, [name]: value }
    expect(changes(one, { ...base, [name]: other })).toMatchObject([refusal])
    expect(changes(one, structuredClone(one))).toEqual([])
  })

  test('has no other field that can be changed than these', () => {
    const changeable = ['cancel', 'ttlSecondsAfterFinished']
    const fixed = Object.keys(spec.properties ?? {}).filter((name) => !changeable.includes(name))
    const rule = spec['x-kubernetes-validations']?.at(-1)?.rule ?? ''
    expect(fixed.filter((name) => !rule.includes(`self.${name} == oldSelf.${name}`))).toEqual([])
    for (const value of [{ cancel: true }, { ttlSecondsAfterFinished: 60 }]) {
      expect(changes(base, { ...base, ...value })).toEqual([])
    }
  })

  test('does not let a cancelled run go on', () => {
    expect(changes({ ...base, cancel: true }, base)).toMatchObject([{ field: 'spec.cancel' }])
  })

  test('cannot be removed to be changed', () => {
    const rules = compileRules(orchestrationRun.schema, { resourceRoot: true })
    const whole = {
      ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
      metadata: { name: 'run' },
    }
    const problems = rules?.validate(whole, { ...whole, spec: base }, { path: '' }) ?? []
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('spec: cannot be removed'),
    ])
    expect(rules?.validate({ ...whole, spec: base }, whole, { path: '' })).toEqual([])
  })
})

import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../expressions/scope.ts'
import type { OrchestrationSpec, RawStep } from './graph.ts'
import { readGraph } from './read-graph.ts'
import { renderStep } from './step-templates.ts'

type Fields = Readonly<Record<string, Json>>

function agentRun(name: string, fields: Fields = {}): Fields {
  const implementation = { inline: { text: 'do it' } }
  return { name, kind: 'AgentRun', agentRef: { name: 'coder' }, implementation, ...fields }
}

/** `reason path: message` of the first problem. */
function firstProblem(steps: readonly Fields[]): string {
  const result = readGraph({ steps } as unknown as OrchestrationSpec)
  if (result.ok) return 'valid'
  const [problem] = result.problems
  return `${problem?.reason} ${problem?.path}: ${problem?.message}`
}

describe('a step', () => {
  // What names a Secret, an account or an image is fixed by the author of the graph: a parameter must not choose it.
  test.each([
    { field: 'secrets', value: ['{{ parameters.x }}'], at: 'secrets[0]' },
    {
      field: 'workload',
      value: { volumes: [{ secretName: '{{ parameters.x }}' }] },
      at: 'workload.volumes[0].secretName',
    },
    {
      field: 'runtime',
      value: { config: { serviceAccount: '{{ parameters.x }}' } },
      at: 'runtime.config.serviceAccount',
    },
    {
      field: 'workflow',
      value: { steps: [{ workload: { image: '{{ parameters.x }}' } }] },
      at: 'workflow.steps[0].workload.image',
    },
    { field: 'agentRef', value: { name: '{{ parameters.x }}' }, at: 'agentRef.name' },
    { field: 'memoryRef', value: { name: '{{ parameters.x }}' }, at: 'memoryRef.name' },
    {
      field: 'implementationSpecRef',
      value: { name: '{{ parameters.x }}' },
      at: 'implementationSpecRef.name',
    },
  ])('has no templates in $field', ({ field, value, at }) => {
    expect(firstProblem([agentRun('a', { [field]: value as Json })])).toMatch(
      `TemplateInvalid spec.steps[0].${at}: templates are not filled in here`,
    )
  })

  test('has no template in with.agentRef, if that names the agent', () => {
    const values = { agentRef: '{{ parameters.x }}' }
    expect(firstProblem([agentRun('a', { agentRef: {}, with: values })])).toMatch(
      'TemplateInvalid spec.steps[0].with.agentRef: templates are not filled in here',
    )
    expect(firstProblem([agentRun('a', { with: values })])).toBe('valid')
  })

  test('has templates in the parameters and the implementation of the steps of a workflow', () => {
    const steps = [
      {
        name: 'x',
        parameters: { a: '{{ parameters.x }}' },
        implementation: { inline: { text: '{{ item }}' } },
      },
    ]
    expect(firstProblem([agentRun('a', { workflow: { steps } })])).toMatch(
      /^TemplateInvalid spec.steps\[0\].workflow.steps\[0\].implementation.inline.text: item exists only/,
    )
  })
})

describe('renderStep', () => {
  const scope: Scope = {
    parameters: { x: 'filled' },
    steps: {},
    run: { name: 'r', namespace: 'n' },
  }
  const template = '{{ parameters.x }}'

  test('fills in the templated fields and leaves the others as they are', () => {
    const step = agentRun('a', {
      with: { a: template },
      implementation: { inline: { text: template } },
      deliveryId: template,
      secrets: [template],
      note: template,
      workflow: {
        note: template,
        steps: [{ name: 'one', parameters: { a: template }, workload: { image: template } }],
      },
    })
    expect(renderStep(step as unknown as RawStep, scope)).toEqual({
      ok: true,
      step: {
        ...step,
        with: { a: 'filled' },
        implementation: { inline: { text: 'filled' } },
        deliveryId: 'filled',
        workflow: {
          note: template,
          steps: [{ name: 'one', parameters: { a: 'filled' }, workload: { image: template } }],
        },
      },
    })
  })

  test('names the field that has no value', () => {
    const step = agentRun('a', { with: { a: '{{ parameters.y }}' } }) as unknown as RawStep
    expect(renderStep(step, scope)).toMatchObject({ ok: false, problem: { path: 'with.a' } })
  })
})

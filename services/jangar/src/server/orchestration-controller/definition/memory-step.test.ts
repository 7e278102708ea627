import { describe, expect, test } from 'vitest'
import type { OrchestrationSpec } from './graph.ts'
import { readGraph } from './read-graph.ts'

const get = { op: 'get', key: 'a' }

/** The first problem of a graph with this step, and one that refers to its outputs. */
function problemOf(step: object, reference = 'steps.recall.outputs'): string {
  const steps = [
    { name: 'recall', kind: 'MemoryOp', ...step },
    { name: 'mark', kind: 'Checkpoint', dependsOn: ['recall'], with: { x: `{{ ${reference} }}` } },
  ]
  const result = readGraph({ steps } as OrchestrationSpec)
  if (result.ok) return 'valid'
  const [first] = result.problems
  return `${first?.reason} ${first?.path}: ${first?.message}`
}

describe('a step of kind MemoryOp', () => {
  test.each([
    { step: { with: { op: 'put', key: '{{ run.name }}', value: '{{ parameters.note }}' } } },
    { step: { memoryRef: { name: 'notes' }, with: get }, reference: 'steps.recall.outputs.value' },
    {
      step: { with: { op: 'search', query: 'x', limit: '20' } },
      reference: 'steps.recall.outputs.entries',
    },
    { step: { with: { op: 'search', query: 'x', limit: '{{ parameters.limit }}' } } },
    { step: { forEach: { items: ['a', 'b'] }, with: { op: 'get', key: '{{ item }}' } } },
  ])('is valid: $step', ({ step, reference }) => {
    expect(problemOf(step, reference)).toBe('valid')
  })

  test.each([
    {
      step: {},
      problem: 'StepIncomplete spec.steps[0].with.op: set it to one of put, get, search',
    },
    {
      step: { with: { op: 'delete', key: 'a' } },
      problem: 'StepInvalid spec.steps[0].with.op: must be one of put, get, search, not a template',
    },
    { step: { with: { op: 'toString' } }, problem: 'StepInvalid spec.steps[0].with.op: ' },
    // Whoever starts the run must not choose it.
    {
      step: { with: { op: '{{ parameters.op }}', key: 'a' } },
      problem: 'StepInvalid spec.steps[0].with.op: ',
    },
    {
      step: { memoryRef: { name: '{{ parameters.memory }}' }, with: get },
      problem: 'TemplateInvalid spec.steps[0].memoryRef.name: ',
    },
    { step: { memoryRef: {}, with: get }, problem: 'StepIncomplete spec.steps[0].memoryRef: ' },
    {
      step: { with: { op: 'put', key: 'a' } },
      problem: 'StepIncomplete spec.steps[0].with.value: put needs it',
    },
    { step: { with: { op: 'get' } }, problem: 'StepIncomplete spec.steps[0].with.key: ' },
    { step: { with: { op: 'search' } }, problem: 'StepIncomplete spec.steps[0].with.query: ' },
    {
      step: { with: { ...get, memoryRef: 'other' } },
      problem: 'StepInvalid spec.steps[0].with.memoryRef: get takes key only',
    },
    {
      step: { with: { ...get, operation: 'put' } },
      problem: 'StepInvalid spec.steps[0].with.operation: ',
    },
    ...['0', '21', '1.5', '-1', 'many', ''].map((limit) => ({
      step: { with: { op: 'search', query: 'x', limit } },
      problem: 'StepInvalid spec.steps[0].with.limit: must be a whole number from 1 to 20',
    })),
    {
      step: { with: { op: 'get', key: '{{ steps.mark.outputs.x }}' } },
      problem: 'TemplateInvalid spec.steps[0].with.key: ',
    },
  ])('is refused with its path: $step', ({ step, problem }) => {
    expect(problemOf(step)).toContain(problem)
  })

  test('has outputs that are known before it runs', () => {
    const problem = problemOf({ with: get }, 'steps.recall.outputs.text')
    expect(problem).toContain('TemplateInvalid spec.steps[1].with.x: ')
  })
})

import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import type { OrchestrationSpec } from './graph.ts'
import { readGraph } from './read-graph.ts'

type Fields = Readonly<Record<string, Json>>

function mark(name: string, fields: Fields = {}): Fields {
  return { name, kind: 'Checkpoint', ...fields }
}

function agentRun(name: string, fields: Fields = {}): Fields {
  const implementation = { inline: { text: 'do it' } }
  return { name, kind: 'AgentRun', agentRef: { name: 'coder' }, implementation, ...fields }
}

function toolRun(name: string, fields: Fields = {}): Fields {
  return { name, kind: 'ToolRun', toolRef: { name: 'lint' }, ...fields }
}

function read(steps: readonly Fields[], rest: Fields = {}) {
  return readGraph({ steps, ...rest } as unknown as OrchestrationSpec)
}

/** `reason path: message` of the first problem. */
function firstProblem(steps: readonly Fields[], rest: Fields = {}): string {
  const result = read(steps, rest)
  if (result.ok) return 'valid'
  const [problem] = result.problems
  return `${problem?.reason} ${problem?.path}: ${problem?.message}`
}

describe('a valid graph', () => {
  test('has the defaults of its steps and policies', () => {
    const result = read([mark('a', { timeoutSeconds: 5 }), mark('b', { dependsOn: ['a', 'a'] })])
    expect(result).toMatchObject({
      ok: true,
      graph: {
        steps: [
          {
            name: 'a',
            kind: 'Checkpoint',
            dependsOn: [],
            runAfter: 'Succeeded',
            finally: false,
            when: undefined,
            match: undefined,
            forEach: undefined,
            retries: 0,
            retryBackoffSeconds: 0,
            timeoutSeconds: 5,
            inputs: { name: 'a' },
          },
          { name: 'b', dependsOn: ['a'] },
        ],
        parameters: undefined,
        outputs: {},
        policies: { failFast: true, parallelism: 0, timeoutSeconds: 0 },
      },
    })
  })

  test('has everything that a spec can say', () => {
    const steps = [
      toolRun('plan', { with: { stage: '{{ parameters.stage }}' } }),
      mark('version', { with: { number: '1' }, dependsOn: ['plan'] }),
      agentRun('fix', {
        dependsOn: ['version'],
        when: "steps.version.outputs.number == '1' && steps.plan.outputs.count > 0",
        forEach: { from: 'steps.plan.outputs.files', maxParallel: 3 },
        with: { file: '{{ item.path }} of {{ run.name }}' },
        implementation: { inline: { text: 'Fix {{ item }} as {{ steps.plan.outputs.how }}' } },
      }),
      {
        name: 'sub',
        kind: 'SubOrchestration',
        orchestrationRef: { name: 'x' },
        runAfter: 'Finished',
        dependsOn: ['fix'],
      },
      {
        name: 'go',
        kind: 'ApprovalGate',
        policyRef: 'people',
        forEach: undefined as unknown as Json,
      },
      {
        name: 'wait',
        kind: 'SignalWait',
        signalRef: 'pushed',
        match: 'payload.ref == parameters.stage',
      },
      {
        name: 'told',
        kind: 'SignalWait',
        signalRef: { name: 'pushed' },
        deliveryId: '{{ parameters.stage }}',
      },
      mark('clean', { finally: true, with: { how: '{{ run.outcome }} {{ steps.fix.outcome }}' } }),
      mark('last', { finally: true, dependsOn: ['clean'], when: "run.outcome == 'Failed'" }),
    ]
    const result = read(steps, {
      entrypoint: 'plan',
      parameters: [{ name: 'stage', default: 'test', enum: ['test', 'live'], required: true }],
      outputs: { files: '{{ steps.fix.outputs.diff }}', outcome: '{{ run.outcome }}' },
      policies: { failFast: false, parallelism: 2, timeoutSeconds: 60, other: 'kept' },
    })
    expect(result.ok ? [] : result.problems).toEqual([])
    expect(result).toMatchObject({
      graph: {
        parameters: [{ name: 'stage', default: 'test', required: true, values: ['test', 'live'] }],
        policies: { failFast: false, parallelism: 2, timeoutSeconds: 60 },
      },
    })
    expect(result.ok && result.graph.steps[2]?.forEach).toEqual({
      list: { from: 'steps.plan.outputs.files' },
      maxParallel: 3,
    })
  })

  test('may use any parameter if none is declared, as graphs of earlier releases do', () => {
    expect(firstProblem([toolRun('a', { with: { x: '{{ parameters.any }}' } })])).toBe('valid')
  })

  test('takes the agent from with, as graphs of earlier releases do', () => {
    const step = { ...agentRun('a'), agentRef: {}, with: { agentRef: 'coder' } }
    expect(firstProblem([step])).toBe('valid')
  })

  test('has at most 500 steps that depend on many others', () => {
    const names = Array.from({ length: 500 }, (_, index) => `s${index}`)
    const steps = names.map((name, index) =>
      mark(name, { dependsOn: names.slice(Math.max(0, index - 50), index) }),
    )
    expect(firstProblem(steps)).toBe('valid')
    expect(firstProblem([...steps, mark('one-more')])).toMatch(/^StepLimit spec.steps: .*501/)
  })
})

describe('an invalid graph', () => {
  test.each([
    { steps: [], problem: 'MissingSteps spec.steps: ' },
    { steps: [mark('')], problem: 'StepMissingName spec.steps[0].name: ' },
    { steps: [mark('a b')], problem: 'StepInvalid spec.steps[0].name: ' },
    { steps: [mark('x'.repeat(64))], problem: 'StepInvalid spec.steps[0].name: ' },
    {
      steps: [mark('a'), mark('b', { with: { x: 'x'.repeat(9000), y: 'y'.repeat(9000) } })],
      problem: 'OutputsTooLarge spec.steps[1].with: ',
    },
    {
      // A template may become shorter than it is.
      steps: [mark('a', { with: { x: '{{ run.name }}'.repeat(2000) } })],
      problem: 'valid',
    },
    { steps: [mark('a'), mark('a')], problem: 'DuplicateStep spec.steps[1].name: ' },
    { steps: [{ name: 'a', kind: 'Magic' }], problem: 'UnsupportedStep spec.steps[0].kind: ' },
    {
      steps: [mark('a', { dependsOn: ['a'] })],
      problem: 'InvalidDependency spec.steps[0].dependsOn[0]: ',
    },
    {
      steps: [mark('a', { dependsOn: ['b'] })],
      problem: 'MissingDependency spec.steps[0].dependsOn[0]: ',
    },
    {
      steps: [
        mark('a', { dependsOn: ['c'] }),
        mark('b', { dependsOn: ['a'] }),
        mark('c', { dependsOn: ['b'] }),
        mark('d', { dependsOn: ['c'] }),
      ],
      problem: 'DependencyCycle spec.steps[0].dependsOn: a → c → b → a',
    },
    {
      steps: [mark('a', { finally: true }), mark('b', { dependsOn: ['a'] })],
      problem: 'InvalidDependency spec.steps[1].dependsOn[0]: ',
    },
    {
      steps: [mark('a'), mark('b', { finally: true, dependsOn: ['a'] })],
      problem: 'InvalidDependency spec.steps[1].dependsOn[0]: ',
    },
    { steps: [mark('a', { finally: true })], problem: 'MissingSteps spec.steps: ' },
    {
      steps: [{ ...agentRun('a'), agentRef: {} }],
      problem: 'StepIncomplete spec.steps[0].agentRef: ',
    },
    {
      steps: [{ name: 'a', kind: 'AgentRun', agentRef: { name: 'x' } }],
      problem: 'StepIncomplete spec.steps[0].implementation: ',
    },
    { steps: [toolRun('a', { toolRef: {} })], problem: 'StepIncomplete spec.steps[0].toolRef: ' },
    {
      steps: [{ name: 'a', kind: 'SubOrchestration' }],
      problem: 'StepIncomplete spec.steps[0].orchestrationRef: ',
    },
    {
      steps: [{ name: 'a', kind: 'ApprovalGate' }],
      problem: 'StepIncomplete spec.steps[0].policyRef: ',
    },
    {
      steps: [{ name: 'a', kind: 'SignalWait' }],
      problem: 'StepIncomplete spec.steps[0].signalRef: ',
    },
    {
      steps: [{ name: 'a', kind: 'SignalWait', signalRef: 3 }],
      problem: 'StepIncomplete spec.steps[0].signalRef: ',
    },
    { steps: [mark('a', { retries: -1 })], problem: 'StepInvalid spec.steps[0].retries: ' },
    {
      steps: [mark('a', { timeoutSeconds: -1 })],
      problem: 'StepInvalid spec.steps[0].timeoutSeconds: ',
    },
    {
      steps: [mark('a', { retryBackoffSeconds: -1 })],
      problem: 'StepInvalid spec.steps[0].retryBackoffSeconds: ',
    },
    { steps: [mark('a', { finally: 'yes' })], problem: 'StepInvalid spec.steps[0].finally: ' },
    { steps: [mark('a', { runAfter: 'Never' })], problem: 'StepInvalid spec.steps[0].runAfter: ' },
    { steps: [mark('a', { when: 3 })], problem: 'StepInvalid spec.steps[0].when: ' },
    { steps: [mark('a', { match: 'true' })], problem: 'StepInvalid spec.steps[0].match: ' },
    {
      steps: [mark('a', { forEach: { items: [1] } })],
      problem: 'StepInvalid spec.steps[0].forEach: ',
    },
    { steps: [toolRun('a', { forEach: {} })], problem: 'StepInvalid spec.steps[0].forEach: ' },
    {
      steps: [toolRun('a', { forEach: { items: [], from: 'parameters.x' } })],
      problem: 'StepInvalid spec.steps[0].forEach: ',
    },
    {
      steps: [toolRun('a', { forEach: { items: [1], maxParallel: 0 } })],
      problem: 'StepInvalid spec.steps[0].forEach.maxParallel: ',
    },
    {
      steps: [toolRun('a', { forEach: { items: Array(257).fill(1) } })],
      problem: 'LoopLimit spec.steps[0].forEach.items: the loop has 257 items',
    },
    {
      steps: [toolRun('a', { forEach: { from: '{{ parameters.x }}' } })],
      problem: 'TemplateInvalid spec.steps[0].forEach.from: ',
    },
    {
      steps: [toolRun('a', { forEach: { from: 'run.name' } })],
      problem: 'TemplateInvalid spec.steps[0].forEach.from: ',
    },
    {
      steps: [toolRun('a', { forEach: { from: 'steps.b.outputs.x' } }), mark('b')],
      problem: 'TemplateInvalid spec.steps[0].forEach.from: ',
    },
    {
      steps: [mark('a', { with: { x: '{{ steps.b.outputs.x }}' } }), mark('b')],
      problem: 'TemplateInvalid spec.steps[0].with.x: steps.b.outputs.x does not exist',
    },
    {
      steps: [mark('a', { with: { x: '{{ steps.a.outputs.x }}' } })],
      problem: 'TemplateInvalid spec.steps[0].with.x: ',
    },
    {
      steps: [
        mark('b', { with: { v: '1' } }),
        mark('a', { dependsOn: ['b'], with: { x: '{{ steps.b.outputs.w }}' } }),
      ],
      problem: 'TemplateInvalid spec.steps[1].with.x: ',
    },
    {
      steps: [mark('a', { with: { x: '{{ item }}' } })],
      problem: 'TemplateInvalid spec.steps[0].with.x: ',
    },
    {
      steps: [mark('a', { with: { x: '{{ run.outcome }}' } })],
      problem: 'TemplateInvalid spec.steps[0].with.x: ',
    },
    {
      steps: [mark('a', { with: { x: '{{ broken' } })],
      problem: 'TemplateInvalid spec.steps[0].with.x: ',
    },
    {
      steps: [mark('a', { with: { x: '{{ secrets.token }}' } })],
      problem: 'TemplateInvalid spec.steps[0].with.x: ',
    },
    {
      steps: [agentRun('a', { implementation: { inline: { text: '{{ item }}' } } })],
      problem: 'TemplateInvalid spec.steps[0].implementation.inline.text: ',
    },
    {
      steps: [mark('a', { when: 'parameters.x' })],
      problem: 'ExpressionInvalid spec.steps[0].when: ',
    },
    {
      steps: [mark('a', { when: 'steps.b.outcome == "Failed"' }), mark('b')],
      problem: 'ExpressionInvalid spec.steps[0].when: ',
    },
    {
      steps: [{ name: 'a', kind: 'SignalWait', signalRef: 's', match: '1 + 1' }],
      problem: 'ExpressionInvalid spec.steps[0].match: ',
    },
  ])('$problem', ({ steps, problem }) => {
    expect(firstProblem(steps).slice(0, problem.length)).toBe(problem)
  })

  test.each([
    { rest: { outputs: { x: 'x'.repeat(1_000_000) } }, problem: 'GraphTooLarge spec: ' },
    {
      rest: { outputs: { x: `{{ run.name }}${'x'.repeat(17_000)}` } },
      problem: 'OutputsTooLarge spec.outputs: ',
    },
    { rest: { entrypoint: 'main' }, problem: 'EntrypointMissing spec.entrypoint: ' },
    {
      rest: { outputs: { x: '{{ steps.b.outputs.y }}' } },
      problem: 'TemplateInvalid spec.outputs.x: ',
    },
    { rest: { outputs: { x: '{{ item }}' } }, problem: 'TemplateInvalid spec.outputs.x: ' },
    {
      rest: { parameters: [{ name: 'a.b' }] },
      problem: 'InvalidParameters spec.parameters[0].name: ',
    },
    {
      rest: { parameters: [{ name: 'a' }, { name: 'a' }] },
      problem: 'InvalidParameters spec.parameters[1].name: ',
    },
    {
      rest: { parameters: [{ name: 'a', enum: [] }] },
      problem: 'InvalidParameters spec.parameters[0].enum: ',
    },
    {
      rest: { parameters: [{ name: 'a', enum: ['x'], default: 'y' }] },
      problem: 'InvalidParameters spec.parameters[0].default: ',
    },
    {
      rest: { parameters: [{ name: 'a', default: 'ä'.repeat(1025) }] },
      problem: 'InvalidParameters spec.parameters[0].default: ',
    },
    {
      rest: { policies: { failFast: 'yes' } },
      problem: 'InvalidPolicies spec.policies.failFast: ',
    },
    {
      rest: { policies: { parallelism: -1 } },
      problem: 'InvalidPolicies spec.policies.parallelism: ',
    },
    {
      rest: { policies: { timeoutSeconds: '60' } },
      problem: 'InvalidPolicies spec.policies.timeoutSeconds: ',
    },
  ])('$problem', ({ rest, problem }) => {
    expect(firstProblem([mark('a')], rest as unknown as Fields).slice(0, problem.length)).toBe(
      problem,
    )
  })

  test('cannot use an undeclared parameter once any is declared', () => {
    const step = toolRun('a', { with: { x: '{{ parameters.y }}' }, when: "parameters.z == ''" })
    expect(firstProblem([step], { parameters: [{ name: 'x' }] })).toMatch(
      /^ExpressionInvalid spec.steps\[0\].when: parameters.z does not exist/,
    )
    expect(firstProblem([{ ...step, when: 'true' }], { parameters: [] })).toMatch(
      /^TemplateInvalid spec.steps\[0\].with.x: parameters.y does not exist/,
    )
  })

  test('cannot keep the controllers busy with its expressions', () => {
    const when = Array(9).fill("parameters.a == 'b'").join(' || ')
    const steps = Array.from({ length: 500 }, (_, index) => mark(`s${index}`, { when }))
    expect(firstProblem(steps)).toMatch(/^ExpressionInvalid spec.steps: .* at most 65536/)
  })

  test('without a spec has no steps', () => {
    expect(readGraph(undefined)).toMatchObject({
      ok: false,
      problems: [{ reason: 'MissingSteps' }],
    })
  })

  test('is described step by step, one problem each', () => {
    const bad = { x: '{{ parameters.y }}', z: '{{ parameters.y }}' }
    const result = read([mark('a', { with: bad }), mark('b', { with: bad })], { parameters: [] })
    expect(!result.ok && result.problems.map(({ path }) => path)).toEqual([
      'spec.steps[0].with.x',
      'spec.steps[1].with.x',
    ])
  })
})

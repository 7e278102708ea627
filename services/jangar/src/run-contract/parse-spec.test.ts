import { describe, expect, expectTypeOf, test } from 'vitest'
import { parseRunSpec, type RunSpec } from './run-spec.ts'
import { parseRunnerSpec } from './runner-spec.ts'

const run = {
  provider: 'codex',
  agentRun: { name: 'demo', uid: 'u', namespace: 'agents' },
  implementation: { text: 'Do it.', contract: { requiredKeys: ['stage'] } },
  parameters: { stage: 'plan' },
  memory: null,
  artifacts: [{ name: 'patch', path: '/workspace/a.patch' }],
  vcs: { provider: 'github', repository: 'example-org/example', mode: 'read-write' },
  metadata: { map: { stage: 'plan' } },
}

describe('run.json', () => {
  test('keeps unknown members, and treats null as omitted', () => {
    const parsed = parseRunSpec(JSON.stringify({ ...run, later: { a: 1 } }))
    const { memory: _, ...rest } = run
    expect(parsed).toEqual({ ok: true, value: { ...rest, later: { a: 1 } } })
  })

  test('has types', () => {
    expectTypeOf<RunSpec['agentRun']['name']>().toEqualTypeOf<string>()
    expectTypeOf<RunSpec['parameters']>().toEqualTypeOf<
      Readonly<Record<string, string>> | undefined
    >()
    expectTypeOf<NonNullable<RunSpec['vcs']>['mode']>().toEqualTypeOf<
      'read-write' | 'read-only' | 'none'
    >()
  })

  test('reports every problem with its path', () => {
    const parsed = parseRunSpec(
      JSON.stringify({
        provider: ' ',
        agentRun: { namespace: 7 },
        implementation: [],
        parameters: { a: 'x', b: 1 },
        artifacts: [{ name: 'ok' }, { path: 'p' }],
        vcs: { provider: 'svn', repository: 'r', mode: 'push' },
      }),
    )
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      { path: 'provider', message: 'must be a string that is not empty' },
      { path: 'agentRun.name', message: 'is missing' },
      { path: 'agentRun.namespace', message: 'must be a string that is not empty' },
      { path: 'implementation', message: 'must be an object' },
      { path: 'parameters.b', message: 'must be a string' },
      { path: 'artifacts[1].name', message: 'is missing' },
      {
        path: 'vcs.provider',
        message: 'must be one of github, gitlab, bitbucket, gitea, generic',
      },
      { path: 'vcs.mode', message: 'must be one of read-write, read-only, none' },
    ])
  })

  test.each([
    { because: 'not JSON', document: 'hunter2' },
    { because: 'not an object', document: '"hunter2"' },
  ])('is not quoted when it is $because', ({ document }) => {
    expect(JSON.stringify(parseRunSpec(document))).not.toContain('hunter2')
  })

  test('with a member named __proto__ changes no prototype', () => {
    const parsed = parseRunSpec(
      JSON.stringify(run).replace('"stage":"plan"', '"__proto__":"x","stage":"plan"'),
    )
    expect(parsed.ok && Object.getPrototypeOf(parsed.value.parameters)).toBe(Object.prototype)
  })
})

describe('agent-runner.json', () => {
  test('requires only the provider’s name', () => {
    expect(parseRunnerSpec('{"provider":"x"}')).toEqual({ ok: true, value: { provider: 'x' } })
  })

  test('reports every problem', () => {
    const parsed = parseRunnerSpec(
      JSON.stringify({
        provider: 'x',
        adapter: 'vim',
        timeouts: { runSeconds: -1, graceSeconds: 1.5 },
        providerSpec: { argsTemplate: 'x', inputFiles: [{ path: '' }] },
      }),
    )
    expect(parsed.ok ? [] : parsed.problems.map(({ path }) => path)).toEqual([
      'adapter',
      'providerSpec.binary',
      'providerSpec.argsTemplate',
      'providerSpec.inputFiles[0].path',
      'providerSpec.inputFiles[0].content',
      'timeouts.runSeconds',
      'timeouts.graceSeconds',
    ])
  })
})

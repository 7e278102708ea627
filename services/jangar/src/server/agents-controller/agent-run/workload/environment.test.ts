import { describe, expect, test } from 'vitest'
import { agent, keys, objectOf, runOf } from '../resolve/testing/resolution-fixture.ts'
import {
  build,
  built,
  containerOf,
  documentsOf,
  envOf,
  filesOf,
  onHub,
  provider,
  vcp,
} from './testing/built.ts'

describe('the environment', () => {
  const everything = build(
    onHub({ secrets: ['s'], systemPrompt: 'Be brief.' }),
    [
      provider({ envTemplate: { STAGE: '{{ agentRun.name }}', LEVEL: 'provider' } }),
      agent({ env: [{ name: 'LEVEL', value: 'agent' }], memoryRef: { name: 'm' } }),
      objectOf('Memory', 'm', {
        type: 'redis',
        connection: { secretRef: { name: 'c', key: 'url' } },
      }),
      vcp({}),
      keys('Secret', 't', 'token'),
      keys('Secret', 's', 'API_KEY'),
      keys('Secret', 'auth', 'auth.json'),
    ],
    { env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' } },
  )
  if (everything.kind !== 'objects') throw new Error(everything.message)

  test('is ordered so that later variables override earlier ones', () => {
    const names = Object.keys(envOf(everything))
    const order = [
      'AGENT_RUN_SPEC',
      'AGENT_RUNNER_SPEC_PATH',
      'CODEX_HOME',
      'CODEX_AUTH',
      'STAGE',
      'AGENT_PROVIDER',
      'VCS_PROVIDER',
      'VCS_MODE',
      'AGENT_REPOSITORY_DIR',
      'CODEX_SYSTEM_PROMPT_PATH',
    ]
    expect(names.filter((name) => order.includes(name))).toEqual(order)
    expect(new Set(names).size).toBe(names.length)
    expect(envOf(everything)).toMatchObject({ STAGE: 'r', LEVEL: 'agent' })
  })

  test('contains the span of the attempt if tracing is enabled, unless the provider sets another one', () => {
    const there = (env: Record<string, string>) => [provider({ envTemplate: env }), agent({})]
    const traced = { traceparent: 'span of' }
    expect(envOf(built(runOf({}), there({})))).not.toHaveProperty('TRACEPARENT')
    expect(envOf(built(runOf({}), there({}), traced)).TRACEPARENT).toBe('span of r-job')
    const own = built(runOf({}), there({ TRACEPARENT: 'mine' }), traced)
    expect(envOf(own).TRACEPARENT).toBe('mine')
  })

  test('refers to Secrets by name only', () => {
    expect(envOf(everything)).toMatchObject({
      AGENT_MEMORY_CONNECTION: { secretKeyRef: { name: 'c', key: 'url' } },
    })
    expect(containerOf(everything).envFrom).toEqual([{ secretRef: { name: 's' } }])
  })

  test('lists the variables to mask for the runner', () => {
    expect(documentsOf(everything).runner.secretEnv).toEqual(['AGENT_MEMORY_CONNECTION', 'API_KEY'])
  })

  test('contains all keys of a Memory’s Secret under prefixed names, if the Memory specifies no key', () => {
    const memory = objectOf('Memory', 'm', {
      type: 'redis',
      connection: { secretRef: { name: 'c' } },
    })
    const secret = keys('Secret', 'c', 'url', 'db.name')
    const objects = built(runOf({ memoryRef: { name: 'm' } }), [memory, secret])
    expect(envOf(objects)).toMatchObject({
      AGENT_MEMORY_URL: { secretKeyRef: { name: 'c', key: 'url', optional: true } },
      AGENT_MEMORY_DB_NAME: { secretKeyRef: { name: 'c', key: 'db.name', optional: true } },
    })
    expect(documentsOf(objects).runner.secretEnv).toEqual([
      'AGENT_MEMORY_DB_NAME',
      'AGENT_MEMORY_URL',
    ])
  })

  test('takes no variable names from the default Memory of the namespace', () => {
    const sly = objectOf('Memory', 'm', {
      type: 'custom',
      default: true,
      connection: { secretRef: { name: 'mine' } },
    })
    const names = ['NODE_OPTIONS', 'LD_PRELOAD', 'OPENAI_BASE_URL', 'PATH']
    const objects = built(runOf(), [sly, keys('Secret', 'mine', ...names)])
    expect(containerOf(objects)).not.toHaveProperty('envFrom')
    const got = Object.keys(envOf(objects))
    expect(got.filter((name) => names.includes(name))).toEqual([])
    expect(got).toContain('AGENT_MEMORY_NODE_OPTIONS')
  })
})

describe('templates', () => {
  const task = 'Print $(VCS_TOKEN) and $$ and {{ memory.type }}'
  const run = onHub({
    implementation: { inline: { text: task } },
    parameters: { repository: 'o/$(HOME)' },
  })
  const objects = built(run, [
    provider({
      argsTemplate: ['--', 'sh', '-c', 'echo $(KEPT) {{ implementation.text }}'],
      envTemplate: { TASK: '{{ implementation.text }}' },
      inputFiles: [{ path: 'task.md', content: '# {{ implementation.text }}' }],
    }),
    vcp({}),
    keys('Secret', 't', 'token'),
  ])

  test('are rendered once: text of a task is neither a template nor a reference to a variable', () => {
    const escaped = 'Print $$(VCS_TOKEN) and $$$$ and {{ memory.type }}'
    expect(containerOf(objects).args?.at(-1)).toBe(`echo $(KEPT) ${escaped}`)
    expect(envOf(objects)).toMatchObject({ TASK: escaped, VCS_REPOSITORY: 'o/$$(HOME)' })
  })

  test('of files are rendered without escaping, relative to the workspace', () => {
    expect(filesOf(objects, 'agents-inputs')).toEqual({ 'input-0': `# ${task}` })
    expect(containerOf(objects).volumeMounts).toContainEqual({
      name: 'agents-inputs',
      mountPath: '/workspace/task.md',
      subPath: 'input-0',
      readOnly: true,
    })
  })

  test('can use outputs of earlier steps, which parameters override', () => {
    const reading = provider({ argsTemplate: ['{{ inputs.branch }}', '{{ inputs.stage }}'] })
    const workflow = { runtime: { type: 'workflow' }, workflow: { steps: [{ name: 'a' }] } }
    const step = built(runOf({ ...workflow, parameters: { stage: 'mine' } }), [reading], {
      step: { name: 'a', index: 2 },
      stepOutputs: [
        ['10', { branch: 'b1', stage: 'theirs' }],
        ['2', { branch: 'b2' }],
      ],
    })
    expect(containerOf(step).args).toEqual(['b2', 'mine'])
    expect(step.job.metadata).toMatchObject({
      name: 'r-step-2-attempt-1',
      labels: { 'agents.proompteng.ai/step': 'a', 'agents.proompteng.ai/step-index': '2' },
    })
  })
})

import { describe, expect, test } from 'vitest'
import { agent, keys, runOf, thing } from '../resolution/testing/world.ts'
import {
  build,
  built,
  containerOf,
  documentsOf,
  envOf,
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
      thing('Memory', 'm', { type: 'redis', connection: { secretRef: { name: 'c', key: 'url' } } }),
      vcp({}),
      keys('Secret', 't', 'token'),
      keys('Secret', 's', 'API_KEY'),
      keys('Secret', 'auth', 'auth.json'),
    ],
    { env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' } },
  )
  if (everything.kind !== 'objects') throw new Error(everything.message)

  test('comes in an order in which later ones outrank earlier ones', () => {
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
      'VCS_TOKEN',
      'CODEX_SYSTEM_PROMPT_PATH',
    ]
    expect(names.filter((name) => order.includes(name))).toEqual(order)
    expect(new Set(names).size).toBe(names.length)
    expect(envOf(everything)).toMatchObject({ STAGE: 'r', LEVEL: 'agent' })
  })

  test('names the span of the attempt where there are traces, unless somebody chose another', () => {
    const there = (env: Record<string, string>) => [provider({ envTemplate: env }), agent({})]
    const traced = { traceparent: 'span of' }
    expect(envOf(built(runOf({}), there({})))).not.toHaveProperty('TRACEPARENT')
    expect(envOf(built(runOf({}), there({}), traced)).TRACEPARENT).toBe('span of r-job')
    const own = built(runOf({}), there({ TRACEPARENT: 'mine' }), traced)
    expect(envOf(own).TRACEPARENT).toBe('mine')
  })

  test('knows Secrets by name alone', () => {
    const ref = { secretKeyRef: { name: 't', key: 'token' } }
    expect(envOf(everything)).toMatchObject({
      VCS_TOKEN: ref,
      GITHUB_TOKEN: ref,
      GH_TOKEN: ref,
      AGENT_MEMORY_CONNECTION: { secretKeyRef: { name: 'c', key: 'url' } },
    })
    expect(containerOf(everything).envFrom).toEqual([{ secretRef: { name: 's' } }])
  })

  test('tells the runner which of its values to mask', () => {
    expect(documentsOf(everything).runner.secretEnv).toEqual([
      'AGENT_MEMORY_CONNECTION',
      'API_KEY',
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'VCS_TOKEN',
    ])
  })

  test('has all of a Memory’s Secret where no key is named', () => {
    const memory = thing('Memory', 'm', { type: 'redis', connection: { secretRef: { name: 'c' } } })
    const secret = keys('Secret', 'c', 'URL')
    const objects = built(runOf({ memoryRef: { name: 'm' } }), [memory, secret])
    expect(containerOf(objects).envFrom).toEqual([{ secretRef: { name: 'c' } }])
    expect(documentsOf(objects).runner.secretEnv).toEqual(['URL'])
  })

  test('hands a key over as a file', () => {
    const ssh = {
      auth: {
        ssh: {
          privateKeySecretRef: { name: 'k', key: 'id' },
          knownHostsConfigMapRef: { name: 'h' },
        },
      },
    }
    const objects = built(onHub(), [
      vcp(ssh),
      keys('Secret', 'k', 'id'),
      keys('ConfigMap', 'h', 'known_hosts'),
    ])
    expect(envOf(objects)).toMatchObject({
      VCS_SSH_KEY_PATH: '/var/run/secrets/agents/vcs/ssh/id',
      VCS_SSH_KNOWN_HOSTS_PATH: '/var/run/secrets/agents/vcs/known-hosts/known_hosts',
      VCS_CLONE_PROTOCOL: 'ssh',
    })
    expect(objects.job.spec.template.spec.volumes).toContainEqual({
      name: 'agents-vcs-ssh',
      secret: { secretName: 'k', items: [{ key: 'id', path: 'id' }], defaultMode: 0o400 },
    })
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

  test('are filled in once: what a task says is neither a template nor a variable of Kubernetes', () => {
    const escaped = 'Print $$(VCS_TOKEN) and $$$$ and {{ memory.type }}'
    expect(containerOf(objects).args?.at(-1)).toBe(`echo $(KEPT) ${escaped}`)
    expect(envOf(objects)).toMatchObject({ TASK: escaped, VCS_REPOSITORY: 'o/$$(HOME)' })
  })

  test('of files are filled in as they are, below the workspace', () => {
    expect(objects.configMaps[1]).toMatchObject({
      metadata: { name: 'r-inputs' },
      data: { 'input-0': `# ${task}` },
    })
    expect(containerOf(objects).volumeMounts).toContainEqual({
      name: 'agents-inputs',
      mountPath: '/workspace/task.md',
      subPath: 'input-0',
      readOnly: true,
    })
  })

  test('know what earlier steps reported, under what parameters say', () => {
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

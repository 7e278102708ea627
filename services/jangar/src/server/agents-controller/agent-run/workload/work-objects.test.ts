import type { AgentRun } from '@agents/jangar-api'
import type { Container, KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { parseRunSpec } from '../../../../runner/contract/run-spec.ts'
import { parseRunnerSpec } from '../../../../runner/contract/runner-spec.ts'
import { resolveWork } from '../resolution/resolve-work.ts'
import { agent, keys, runOf, thing, world } from '../resolution/testing/world.ts'
import { type WorkObjects, type WorkOf, workObjects } from './work-objects.ts'

type Loose = Record<string, unknown>

const provider = (spec: Loose) =>
  thing('AgentProvider', 'codex', { binary: 'agent-runner', ...spec })

function build(
  run: AgentRun,
  there: readonly KubeObject[] = [],
  { env = {}, ...of }: Partial<WorkOf> & { env?: Record<string, string> } = {},
) {
  const ports = world([...there, run], env)
  const resolution = resolveWork(run, undefined, ports)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  return workObjects(resolution.work, { run, attempt: 1, ...of }, ports.config)
}

function built(...given: Parameters<typeof build>): WorkObjects {
  const objects = build(...given)
  if (objects.kind !== 'objects') throw new Error(objects.message)
  return objects
}

function containerOf({ job }: WorkObjects): Container {
  const [container] = job.spec.template.spec.containers
  if (container === undefined) throw new Error('there is no container')
  return container
}

const envOf = (objects: WorkObjects) =>
  Object.fromEntries(
    (containerOf(objects).env ?? []).map(({ name, ...rest }) => [
      name,
      rest.value ?? rest.valueFrom,
    ]),
  )
const documentsOf = ({ configMaps: [spec] }: WorkObjects) => {
  const run = parseRunSpec(spec?.data?.['run.json'] ?? '')
  const runner = parseRunnerSpec(spec?.data?.['agent-runner.json'] ?? '')
  if (!run.ok || !runner.ok) throw new Error('the runner would not understand it')
  return { run: run.value, runner: runner.value }
}

const vcp = (spec: Loose) =>
  thing('VersionControlProvider', 'hub', {
    provider: 'github',
    auth: { token: { secretRef: { name: 't' } } },
    ...spec,
  })
const onHub = (spec: Loose = {}) =>
  runOf({ vcsRef: { name: 'hub' }, parameters: { repository: 'o/r' }, ...spec })

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
    expect(containerOf(built(runOf({ memoryRef: { name: 'm' } }), [memory])).envFrom).toEqual([
      { secretRef: { name: 'c' } },
    ])
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
      stepOutputs: { plan: { branch: 'b1', stage: 'theirs' }, draft: { branch: 'b2' } },
    })
    expect(containerOf(step).args).toEqual(['b2', 'mine'])
    expect(step.job.metadata).toMatchObject({
      name: 'r-step-2-attempt-1',
      labels: { 'agents.proompteng.ai/step': 'a', 'agents.proompteng.ai/step-index': '2' },
    })
  })
})

describe('the documents', () => {
  test('are what the runner reads', () => {
    const work = { text: 'Do it.', summary: 'It', contract: { requiredKeys: ['stage'] } }
    const objects = built(
      runOf({
        implementation: { inline: work },
        parameters: { stage: 's' },
        systemPrompt: 'Be brief.',
        timeoutSeconds: 9,
      }),
      [provider({ outputArtifacts: [{ name: 'log', path: '/workspace/log' }] })],
    )
    expect(documentsOf(objects)).toMatchObject({
      run: {
        provider: 'codex',
        agentRun: { name: 'r', namespace: 'team', uid: 'uid-of-r' },
        agent: { name: 'coder' },
        implementation: work,
        parameters: { stage: 's' },
        artifacts: [{ name: 'log', path: '/workspace/log' }],
        systemPrompt: 'Be brief.',
        systemPromptPath: '/workspace/.codex/system-prompt.txt',
        prompt: 'Do it.',
        issueTitle: 'It',
        stage: 's',
        metadata: { map: { stage: 's', issueTitle: 'It' } },
      },
      runner: {
        provider: 'codex',
        inputs: { stage: 's', issueTitle: 'It' },
        timeouts: { runSeconds: 9 },
        artifacts: { logRetentionSeconds: 604_800, terminationMessagePath: '/dev/termination-log' },
      },
    })
  })
})

describe('the pod', () => {
  const podOf = (...given: Parameters<typeof build>) => built(...given).job.spec.template.spec

  test('satisfies the restricted standard', () => {
    const pod = podOf(runOf())
    expect(pod).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('lets the platform, and the run above it, choose the user', () => {
    const env = { JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT: '{"runAsUser":0,"fsGroup":7}' }
    expect(podOf(runOf(), [], { env }).securityContext).toMatchObject({
      runAsNonRoot: false,
      runAsUser: 0,
      fsGroup: 7,
    })
    const config = { podSecurityContext: { runAsUser: 5 } }
    const run = runOf({ runtime: { type: 'job', config } })
    expect(podOf(run, [], { env }).securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 5,
      fsGroup: 7,
    })
  })

  test('is placed as the run says, else as the platform says', () => {
    const env = {
      JANGAR_AGENT_RUNNER_NODE_SELECTOR: '{"pool":"agents"}',
      JANGAR_AGENT_RUNNER_TOLERATIONS: '[{"key":"agents"}]',
      JANGAR_AGENT_RUNNER_IMAGE_PULL_SECRETS: '["pull"]',
      JANGAR_AGENT_RUNNER_PRIORITY_CLASS: 'low',
    }
    const config = {
      nodeSelector: { pool: 'mine' },
      tolerations: [],
      automountServiceAccountToken: true,
      backoffLimit: 2,
    }
    const { job } = built(runOf({ runtime: { type: 'job', config } }), [], { env })
    expect(job.spec.backoffLimit).toBe(2)
    expect(job.spec.template.spec).toMatchObject({
      nodeSelector: { pool: 'mine' },
      imagePullSecrets: [{ name: 'pull' }],
      priorityClassName: 'low',
      automountServiceAccountToken: true,
    })
    expect(job.spec.template.spec).not.toHaveProperty('tolerations')
  })

  test('mounts outer folders before what is inside, and a workspace only where the run brings none', () => {
    const run = runOf({
      workload: {
        volumes: [
          { type: 'pvc', name: 'data', mountPath: '/workspace/', claimName: 'c' },
          {
            type: 'emptyDir',
            name: 'tmp',
            mountPath: '/scratch',
            sizeLimit: '1Gi',
            medium: 'Memory',
          },
          { type: 'secret', name: 'cert', mountPath: '/cert', secretName: 's', readOnly: true },
        ],
      },
    })
    const pod = podOf(run, [keys('Secret', 's', 'k')])
    expect(pod.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'tmp', emptyDir: { sizeLimit: '1Gi', medium: 'Memory' } },
      { name: 'cert', secret: { secretName: 's' } },
      { name: 'agents-spec', configMap: { name: 'r-spec' } },
    ])
    expect(pod.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
      '/workspace/',
      '/scratch',
      '/cert',
      '/workspace/run.json',
      '/workspace/agent-runner.json',
    ])
  })

  test.each([
    { because: 'text', prompt: { systemPrompt: 'Be brief.' }, volume: 'agents-spec' },
    {
      because: 'a reference',
      prompt: { systemPromptRef: { kind: 'Secret', name: 'p', key: 'k' } },
      volume: 'agents-system-prompt',
    },
  ])('has its system prompt as a file, given as $because', ({ prompt, volume }) => {
    const objects = built(runOf(prompt), [keys('Secret', 'p', 'k')])
    expect(containerOf(objects).volumeMounts).toContainEqual({
      name: volume,
      mountPath: '/workspace/.codex/system-prompt.txt',
      subPath: 'system-prompt.txt',
      readOnly: true,
    })
  })

  test.each([
    { because: 'the run has a limit', spec: { timeoutSeconds: 60 }, is: 360 },
    { because: 'it has none', spec: {}, is: undefined },
  ])('is stopped by Kubernetes too when $because, later', ({ spec, is }) => {
    const { job } = built(runOf(spec))
    expect(job.spec.activeDeadlineSeconds).toBe(is)
    expect(job.spec).not.toHaveProperty('ttlSecondsAfterFinished')
  })
})

describe('nothing is built', () => {
  const files = (...paths: string[]) =>
    provider({ inputFiles: paths.map((path) => ({ path, content: '' })) })
  test.each([
    {
      because: 'a template asks for what is not there',
      there: [provider({ argsTemplate: ['{{ parameters.command }}'] })],
      reason: 'InvalidTemplate',
      says: /AgentProvider codex.*argsTemplate\[0\]: there is no parameters\.command/,
    },
    {
      because: 'a template of a file does',
      there: [provider({ inputFiles: [{ path: 'x', content: '{{ vcs.repository }}' }] })],
      reason: 'InvalidTemplate',
      says: /inputFiles\[0\]\.content: there is no vcs\.repository/,
    },
    {
      because: 'a variable has no possible name',
      there: [provider({ envTemplate: { 'a b': '1' } })],
      reason: 'InvalidTemplate',
      says: /"a b" is no name/,
    },
    {
      because: 'two files are at one place',
      there: [files('/workspace/a', 'b/../a')],
      reason: 'InvalidRuntimeConfig',
      says: /two things are to be at \/workspace\/a/,
    },
    {
      because: 'a file would take the place of run.json',
      there: [files('run.json')],
      reason: 'InvalidRuntimeConfig',
      says: /\/workspace\/run\.json/,
    },
    {
      because: 'a path cannot be mounted',
      there: [files('/a:b')],
      reason: 'InvalidRuntimeConfig',
      says: /\/a:b/,
    },
    {
      because: 'no program takes an argument of that size',
      there: [provider({ argsTemplate: ['{{ implementation.text }}'] })],
      text: 'é'.repeat(65_536),
      reason: 'WorkTooLarge',
      says: /argsTemplate\[0\].*input file/,
    },
    {
      because: 'no ConfigMap takes that much',
      there: [],
      text: '\u0001'.repeat(131_072),
      reason: 'WorkTooLarge',
      says: /ConfigMap r-spec would have \d+ bytes/,
    },
  ])('$reason: $because', ({ there, text = 'Do it.', reason, says }) => {
    const run = runOf({ implementation: { inline: { text } } })
    expect(build(run, there)).toMatchObject({
      kind: 'refused',
      reason,
      message: expect.stringMatching(says),
    })
  })
})

test('the same attempt gives the same objects, another attempt other names', () => {
  const names = ({ job, configMaps }: WorkObjects) =>
    [job, ...configMaps].map(({ metadata }) => metadata.name)
  const files = [provider({ inputFiles: [{ path: 'a', content: '' }] })]
  expect(built(runOf(), files)).toEqual(built(runOf(), files))
  expect(names(built(runOf(), files))).toEqual(['r-job', 'r-spec', 'r-inputs'])
  expect(names(built(runOf(), files, { attempt: 2 }))).toEqual([
    'r-job-attempt-2',
    'r-spec-attempt-2',
    'r-inputs-attempt-2',
  ])
})

test('a run whose name is too long for a label is found by its annotation', () => {
  const name = 'x'.repeat(100)
  const { job } = built(runOf({}, { metadata: { name } }))
  expect(job.metadata.annotations).toEqual({ 'agents.proompteng.ai/agent-run': name })
  expect(job.metadata.labels?.['agents.proompteng.ai/agent-run']).toMatch(/^x{54}-[0-9a-f]{8}$/)
})

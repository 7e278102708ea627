import { describe, expect, test } from 'vitest'
import { keys, runOf } from '../resolve/testing/resolution-fixture.ts'
import { build, built, containerOf, documentsOf, filesOf, provider } from './testing/built.ts'
import type { WorkObjects } from './work-objects.ts'

test.each([
  '/var/run/agents',
  '/var/run/agents/publish',
  '/run/agents/repository/',
  '/var//run/./agents/x',
  '/var/run/secrets/agents/vcs',
  '/run/secrets/agents',
])('a run cannot mount anything at %s, which is reserved for the platform', (mountPath) => {
  const workload = { volumes: [{ type: 'emptyDir', name: 'x', mountPath }] }
  expect(build(runOf({ workload }))).toMatchObject({
    kind: 'refused',
    reason: 'InvalidRuntimeConfig',
    message: expect.stringContaining(mountPath),
  })
})

describe('the documents', () => {
  test('have the format that the runner reads', () => {
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

describe('documents', () => {
  const withFile = (content: string): WorkObjects =>
    built(runOf(), [provider({ inputFiles: [{ path: 'x', content }] })])
  const sizeOf = (objects: WorkObjects): number =>
    ['agents-spec', 'agents-inputs']
      .flatMap((volume) => Object.values(filesOf(objects, volume)))
      .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  /** The objects of a run whose documents have this many bytes. */
  const sized = (bytes: number): WorkObjects => withFile('a'.repeat(bytes - sizeOf(withFile(''))))

  test('are annotations of the pod if they are small, and ConfigMaps otherwise', () => {
    const small = sized(8192)
    const large = sized(8193)
    expect(small.configMaps).toEqual([])
    expect(large.configMaps.length).toBeGreaterThan(0)
    expect(large.job.spec.template.metadata?.annotations).toBeUndefined()
    for (const objects of [small, large]) {
      expect(documentsOf(objects).run.prompt).toBe('Do it.')
      expect(filesOf(objects, 'agents-inputs')['input-0']).toMatch(/^a+$/)
      expect(objects.job.metadata).not.toHaveProperty('annotations')
    }
  })

  test('contain any text unchanged', () => {
    const text = "'] \u0001\n\ttext with é, 漢字 and 🙂\r\n{{ no template }}"
    const objects = built(runOf({ systemPrompt: text, implementation: { inline: { text } } }))
    expect(objects.configMaps).toEqual([])
    expect(filesOf(objects, 'agents-spec')['system-prompt.txt']).toBe(text)
    expect(documentsOf(objects).run).toMatchObject({ prompt: text })
  })
})

describe('the pod', () => {
  const podOf = (...given: Parameters<typeof build>) => built(...given).job.spec.template.spec

  test('satisfies the restricted Pod Security Standard', () => {
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

  test("runs as the user of the platform's setting, which the run overrides", () => {
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

  test("ignores nulls in the platform's setting", () => {
    const env = {
      JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT: '{"runAsNonRoot":null,"seccompProfile":null}',
    }
    expect(podOf(runOf(), [], { env }).securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  test('is scheduled by the settings of the run, else by those of the platform', () => {
    const env = {
      JANGAR_AGENT_RUNNER_NODE_SELECTOR: '{"pool":"agents"}',
      JANGAR_AGENT_RUNNER_TOLERATIONS: '[{"key":"agents"}]',
      JANGAR_AGENT_RUNNER_IMAGE_PULL_SECRETS: '["pull"]',
      JANGAR_AGENT_RUNNER_PRIORITY_CLASS: 'low',
      JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'default',
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

  test('pulls the default image as the platform specifies, and other images as Kubernetes does', () => {
    const env = {
      JANGAR_AGENT_RUNNER_IMAGE: 'example.com/runner:1',
      JANGAR_AGENT_RUNNER_IMAGE_PULL_POLICY: 'Always',
    }
    const policyOf = (run: ReturnType<typeof runOf>) =>
      podOf(run, [], { env }).containers[0]?.imagePullPolicy
    expect(policyOf(runOf({ workload: undefined }))).toBe('Always')
    expect(policyOf(runOf({ workload: { image: 'example.com/mine:latest' } }))).toBeUndefined()
  })

  test('mounts parent directories first, and a workspace only if the run mounts none', () => {
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
      { name: 'agents-spec', downwardAPI: expect.anything() },
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
  ])('has a later deadline in Kubernetes when $because', ({ spec, is }) => {
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
      because: 'a template refers to a missing value',
      there: [provider({ argsTemplate: ['{{ parameters.command }}'] })],
      reason: 'InvalidTemplate',
      says: /AgentProvider codex.*argsTemplate\[0\]: parameters\.command does not exist/,
    },
    {
      because: 'the template of a file refers to a missing value',
      there: [provider({ inputFiles: [{ path: 'x', content: '{{ vcs.repository }}' }] })],
      reason: 'InvalidTemplate',
      says: /inputFiles\[0\]\.content: vcs\.repository does not exist/,
    },
    {
      because: 'a variable has an invalid name',
      there: [provider({ envTemplate: { 'a b': '1' } })],
      reason: 'InvalidTemplate',
      says: /"a b" is not a valid name/,
    },
    {
      because: 'two files have the same path',
      there: [files('/workspace/a', 'b/../a')],
      reason: 'InvalidRuntimeConfig',
      says: /two volumes or input files have the path \/workspace\/a/,
    },
    {
      because: 'a file has the path of run.json',
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
      because: 'an argument exceeds the size limit',
      there: [provider({ argsTemplate: ['{{ implementation.text }}'] })],
      text: 'é'.repeat(65_536),
      reason: 'WorkTooLarge',
      says: /argsTemplate\[0\].*input file/,
    },
    {
      because: 'a ConfigMap exceeds the size limit',
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

test('the same attempt has the same objects, another attempt has different names', () => {
  const names = ({ job, configMaps }: WorkObjects) =>
    [job, ...configMaps].map(({ metadata }) => metadata.name)
  const files = [provider({ inputFiles: [{ path: 'a', content: 'x'.repeat(8192) }] })]
  expect(built(runOf(), files)).toEqual(built(runOf(), files))
  expect(names(built(runOf(), files))).toEqual(['r-job', 'r-spec', 'r-inputs'])
  expect(names(built(runOf(), files, { attempt: 2 }))).toEqual([
    'r-job-attempt-2',
    'r-spec-attempt-2',
    'r-inputs-attempt-2',
  ])
})

test('a run whose name is too long for a label is identified by an annotation', () => {
  const name = 'x'.repeat(100)
  const { job } = built(runOf({}, { metadata: { name } }))
  expect(job.metadata.annotations).toEqual({ 'agents.proompteng.ai/agent-run': name })
  expect(job.metadata.labels?.['agents.proompteng.ai/agent-run']).toMatch(/^x{54}-[0-9a-f]{8}$/)
})

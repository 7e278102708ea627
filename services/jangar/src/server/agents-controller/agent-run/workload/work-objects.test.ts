import { describe, expect, test } from 'vitest'
import { keys, runOf } from '../resolution/testing/world.ts'
import { build, built, containerOf, documentsOf, provider } from './testing/built.ts'
import type { WorkObjects } from './work-objects.ts'

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

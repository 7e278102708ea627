import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { resolveWork } from './resolve-work.ts'
import { agent, contract, runOf, thing, workflow, world } from './testing/world.ts'

interface Row {
  readonly because: string
  readonly run?: AgentRun
  readonly there?: readonly KubeObject[]
  readonly env?: Record<string, string>
  readonly says: RegExp
}

describe('a run is refused', () => {
  const rows: Record<string, readonly Row[]> = {
    UnsupportedRuntime: [
      {
        because: 'temporal is not there',
        run: runOf({ runtime: { type: 'temporal' } }),
        says: /temporal.*use job or workflow/,
      },
      {
        because: 'custom is not there',
        run: runOf({ runtime: { type: 'custom' } }),
        says: /custom/,
      },
    ],
    InvalidWorkflow: [
      {
        because: 'it has no workflow',
        run: runOf({ runtime: { type: 'workflow' } }),
        says: /no steps/,
      },
      { because: 'it has no steps', run: runOf(workflow()), says: /no steps/ },
      {
        because: 'two steps share a name',
        run: runOf(workflow({ name: 'a' }, { name: 'a' })),
        says: /called a/,
      },
      { because: 'a step has no name', run: runOf(workflow({ name: ' ' })), says: /steps\[0\]/ },
    ],
    UnsupportedPolicy: [
      {
        because: 'nobody would charge its budget',
        run: runOf({ policy: { budgetRef: { name: 'b' } } }),
        says: /policy\.budgetRef/,
      },
      {
        because: 'nobody would ask for its approval',
        run: runOf({ policy: { approvalPolicyRef: { name: 'b' } } }),
        says: /approvalPolicyRef/,
      },
      {
        because: 'nobody would check its binding',
        run: runOf({ policy: { secretBindingRef: { name: 'b' } } }),
        says: /secretBindingRef/,
      },
    ],
    DuplicateIdempotencyKey: [
      {
        because: 'an older run of the agent has its key',
        run: runOf(
          { idempotencyKey: 'k' },
          { metadata: { name: 'late', uid: '2', creationTimestamp: '2026-01-02T00:00:00Z' } },
        ),
        there: [
          runOf(
            { idempotencyKey: 'k' },
            { metadata: { name: 'early', uid: '1', creationTimestamp: '2026-01-01T00:00:00Z' } },
          ),
        ],
        says: /AgentRun early/,
      },
    ],
    InvalidParameters: [
      {
        because: 'run and step together have too many parameters',
        run: runOf({
          parameters: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a${at}`, ''])),
          ...workflow({
            name: 's',
            parameters: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`b${at}`, ''])),
          }),
        }),
        says: /101 parameters/,
      },
      {
        because: 'bytes are counted, not letters',
        run: runOf({ parameters: { long: 'é'.repeat(1025) } }),
        says: /long has 2050 bytes/,
      },
    ],
    MissingRequiredLabels: [
      {
        because: 'the platform demands a label',
        env: { JANGAR_AGENTS_CONTROLLER_LABELS_REQUIRED: 'team' },
        says: /team/,
      },
    ],
    LabelBlocked: [
      {
        because: 'the platform forbids a label, whatever it allows',
        run: runOf({}, { metadata: { labels: { 'evil/x': '1' } } }),
        env: {
          JANGAR_AGENTS_CONTROLLER_LABELS_DENIED: 'evil/*',
          JANGAR_AGENTS_CONTROLLER_LABELS_ALLOWED: '*',
        },
        says: /evil\/x \(by evil\/\*\)/,
      },
    ],
    LabelNotAllowed: [
      {
        because: 'the platform allows others only',
        run: runOf({}, { metadata: { labels: { 'good/x': '1', other: '1' } } }),
        env: { JANGAR_AGENTS_CONTROLLER_LABELS_ALLOWED: 'good/*' },
        says: /label other/,
      },
    ],
    MissingWorkloadImage: [
      {
        because: 'nobody names an image',
        env: { JANGAR_AGENT_RUNNER_IMAGE: '' },
        says: /workload\.image/,
      },
    ],
    ImageBlocked: [
      {
        because: 'the platform forbids the image, whatever it allows',
        run: runOf({ workload: { image: 'evil/x:1' } }),
        env: {
          JANGAR_AGENTS_CONTROLLER_IMAGES_DENIED: 'evil/*',
          JANGAR_AGENTS_CONTROLLER_IMAGES_ALLOWED: '*',
        },
        says: /evil\/x:1/,
      },
    ],
    ImageNotAllowed: [
      {
        because: 'the platform allows other images only',
        run: runOf(workflow({ name: 's', workload: { image: 'other/x:1' } })),
        env: { JANGAR_AGENTS_CONTROLLER_IMAGES_ALLOWED: '["good/*"]' },
        says: /other\/x:1.*good\/\*/,
      },
    ],
    InvalidRuntimeConfig: [
      {
        because: 'a run does not make itself root',
        run: runOf({ runtime: { type: 'job', config: { podSecurityContext: { runAsUser: 0 } } } }),
        says: /podSecurityContext\.runAsUser would loosen/,
      },
      {
        because: 'nor allow its image to',
        run: runOf({
          runtime: { type: 'job', config: { podSecurityContext: { runAsNonRoot: false } } },
        }),
        says: /podSecurityContext\.runAsNonRoot would loosen/,
      },
      {
        because: 'nor take off the seccomp profile',
        run: runOf({
          runtime: {
            type: 'job',
            config: { podSecurityContext: { seccompProfile: { type: 'Unconfined' } } },
          },
        }),
        says: /podSecurityContext\.seccompProfile would loosen/,
      },
      {
        because: 'nor tune the kernel',
        run: runOf({ runtime: { type: 'job', config: { podSecurityContext: { sysctls: [] } } } }),
        says: /podSecurityContext\.sysctls would loosen/,
      },
      {
        because: 'a setting has the wrong type',
        run: runOf({ runtime: { type: 'job', config: { backoffLimit: -1 } } }),
        says: /runtime\.config\.backoffLimit must be a whole number/,
      },
      {
        because: 'a quantity is none',
        run: runOf({ workload: { resources: { limits: { memory: 'lots' } } } }),
        says: /limits\.memory is lots/,
      },
      {
        because: 'a volume of a Secret names none',
        run: runOf({ workload: { volumes: [{ type: 'secret', name: 'v', mountPath: '/v' }] } }),
        says: /volumes\[0\] \(v\) lacks secretName/,
      },
      {
        because: 'a volume is mounted nowhere',
        run: runOf({ workload: { volumes: [{ type: 'emptyDir', name: 'v', mountPath: 'v' }] } }),
        says: /no absolute path/,
      },
    ],
    SecretBlocked: [
      {
        because: 'a Secret is forbidden, also where the agent allows it',
        run: runOf({ secrets: ['root'] }),
        there: [agent({ security: { allowedSecrets: ['root'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'root' },
        says: /Secret root, listed in secrets, is forbidden/,
      },
      {
        because: 'mounting a Secret is using it',
        run: runOf({
          workload: {
            volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'root' }],
          },
        }),
        env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'root' },
        says: /mounted as volume v/,
      },
    ],
    SecretNotAllowed: [
      {
        because: 'the agent does not allow it',
        run: runOf({ secrets: ['other'] }),
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        says: /allowedSecrets of Agent coder/,
      },
      {
        because: 'the system prompt is in a Secret that the agent does not allow',
        run: runOf({ systemPromptRef: { kind: 'Secret', name: 'p', key: 'k' } }),
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        says: /Secret p, which holds the system prompt/,
      },
      {
        because: 'the memory that the run names leads to a Secret that the agent does not allow',
        run: runOf({ memoryRef: { name: 'm' } }),
        there: [
          agent({ security: { allowedSecrets: ['mine'] } }),
          thing('Memory', 'm', { type: 'redis', connection: { secretRef: { name: 'c' } } }),
        ],
        says: /Secret c, which leads to Memory m/,
      },
      {
        because: "the platform's own credentials are not allowed either",
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' },
        says: /Secret auth, which the platform gives/,
      },
    ],
    ServiceAccountNotAllowed: [
      {
        because: 'default must be allowed too',
        there: [agent({ security: { allowedServiceAccounts: ['builder'] } })],
        says: /default is not among .*builder/,
      },
      {
        because: 'the run names another',
        run: runOf({ runtime: { type: 'job', config: { serviceAccount: 'root' } } }),
        there: [agent({ security: { allowedServiceAccounts: ['builder'] } })],
        says: /service account root/,
      },
    ],
    MissingImplementation: [
      {
        because: 'nobody says what to do',
        run: runOf({ implementation: undefined }),
        says: /implementationSpecRef or implementation/,
      },
    ],
    InvalidContract: [
      {
        because: 'a required key is blank',
        run: runOf(contract([' '])),
        says: /requiredKeys\[0\]/,
      },
      {
        because: 'a mapping leads nowhere',
        run: runOf(contract([], [{ from: 'a', to: '' }])),
        says: /mappings\[0\]/,
      },
    ],
    MissingRequiredMetadata: [
      {
        because: 'nobody told what the work asks for',
        run: runOf(contract(['repository', 'stage', 'prompt'])),
        says: /asks for repository, stage,/,
      },
      {
        because: 'one of the later steps lacks a fact',
        run: runOf({
          ...contract(['stage']),
          ...workflow({ name: 'a', parameters: { stage: 'a' } }, { name: 'b' }),
        }),
        says: /asks for stage/,
      },
    ],
    InvalidSystemPrompt: [
      {
        because: 'it is too long',
        run: runOf({ systemPrompt: 'x'.repeat(16_385) }),
        says: /16384/,
      },
    ],
  }
  const all = Object.entries(rows).flatMap(([reason, each]) =>
    each.map((row) => ({ reason, ...row })),
  )

  test.each(all)('$reason: $because', ({ reason, run = runOf(), there = [], env, says }) => {
    const resolution = resolveWork(run, undefined, world([...there, run], env))
    expect(resolution).toMatchObject({
      kind: 'refused',
      reason,
      message: expect.stringMatching(says),
    })
  })

  test('with what its contract lacks', () => {
    const run = runOf({ ...contract(['stage', 'repository']), parameters: { stage: 's' } })
    expect(resolveWork(run, undefined, world([run]))).toMatchObject({
      contract: { requiredKeys: ['stage', 'repository'], missingKeys: ['repository'] },
    })
  })
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { approvalPolicy, artifact, budget, secretBinding, workspace } from '@agents/jangar-api'
import { type Condition, JobKind, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

const namespace = 'agents'
const approver = { kind: 'User', name: 'approver' } as const
const limits = { tokens: '100' }

let harness: RunHarness
let garbage: Server
beforeAll(async () => {
  garbage = createServer((_, response) => void response.end('<html>It works!</html>'))
  garbage.listen(0, '127.0.0.1')
  await once(garbage, 'listening')
  const { port } = garbage.address() as AddressInfo
  harness = await startHarness({
    environment: {
      JANGAR_ARTIFACTS_STORE: 's3',
      JANGAR_ARTIFACTS_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      JANGAR_ARTIFACTS_S3_BUCKET: 'artifacts',
      JANGAR_ARTIFACTS_S3_ACCESS_KEY_ID: 'key',
      JANGAR_ARTIFACTS_S3_SECRET_ACCESS_KEY: 'very-secret-value',
    },
  })
})
afterAll(async () => {
  await harness.stop()
  garbage.closeAllConnections()
  garbage.close()
})

interface BadPolicy {
  readonly because: string
  readonly kind: KindRef
  /** Of a policy that concerns the runs of this agent. */
  readonly spec: (agent: string) => object
  readonly reason: string
  /** The field that the policy's condition names. */
  readonly field: string
  /** Why the run does not start. */
  readonly waits: string
}

const budgets = kindRef(budget)
const policies = kindRef(approvalPolicy)
const bindings = kindRef(secretBinding)

function badBudget(because: string, spec: object, reason: string, field: string): BadPolicy {
  return {
    ...{ because, kind: budgets, reason, field, waits: 'BudgetUnavailable' },
    spec: (agent) => ({ scope: { agentRef: { name: agent } }, limits, ...spec }),
  }
}

function badApproval(because: string, spec: object, reason: string, field: string): BadPolicy {
  return {
    ...{ because, kind: policies, reason, field, waits: 'WaitingForApproval' },
    spec: (agent) => ({ subjects: [{ kind: 'Agent', name: agent }], ...spec }),
  }
}

const rows: readonly BadPolicy[] = [
  badBudget('no quantity', { limits: { tokens: 'many' } }, 'InvalidLimit', 'spec.limits.tokens'),
  badBudget('a unit', { limits: { cpu: '2 cores' } }, 'InvalidLimit', 'spec.limits.cpu'),
  badBudget('a negative limit', { limits: { tokens: '-1' } }, 'InvalidLimit', 'spec.limits.tokens'),
  badBudget(
    'less than nothing',
    { limits: { dollars: '-5' } },
    'InvalidLimit',
    'spec.limits.dollars',
  ),
  badBudget('no limit', { limits: {} }, 'NoLimits', 'spec.limits'),
  badBudget('an unknown zone', { timezone: 'Europe/Atlantis' }, 'UnknownTimezone', 'spec.timezone'),
  badBudget(
    'a reservation without a number',
    { reservation: { tokens: 'some' } },
    'InvalidReservation',
    'spec.reservation.tokens',
  ),
  badApproval('nobody can approve', {}, 'NoApprovers', 'spec.approvers'),
  badApproval(
    'an approver without a name',
    { approvers: [{ kind: 'User', name: ' ' }] },
    'InvalidApprover',
    'spec.approvers[0].name',
  ),
  badApproval(
    'an approver who cannot exist',
    { approvers: [approver, { kind: 'User', name: 'system:serviceaccount:only-one-part' }] },
    'InvalidApprover',
    'spec.approvers[1].name',
  ),
  badApproval(
    'more approvals than approvers',
    { approvers: [approver], quorum: 2 },
    'QuorumUnreachable',
    'spec.quorum',
  ),
  badApproval(
    'one approver twice',
    { approvers: [approver, approver], quorum: 2 },
    'QuorumUnreachable',
    'spec.quorum',
  ),
  {
    because: 'a policy about policies would have to approve itself',
    kind: policies,
    spec: (agent) => ({
      approvers: [approver],
      subjects: [
        { kind: 'Agent', name: agent },
        { kind: 'ApprovalPolicy', name: '*' },
      ],
    }),
    reason: 'InvalidSubject',
    field: 'spec.subjects[1].kind',
    waits: 'WaitingForApproval',
  },
  {
    because: 'a binding about bindings',
    kind: bindings,
    spec: (agent) => ({
      subjects: [
        { kind: 'Agent', name: agent },
        { kind: 'SecretBinding', name: 'itself' },
      ],
      allowedSecrets: ['s'],
    }),
    reason: 'UnsupportedSubject',
    field: 'spec.subjects[1].kind',
    waits: 'SecretNotAllowed',
  },
]

describe('a policy that cannot be followed', pollOptions, () => {
  test.concurrent.each(rows.map((row, at) => ({ ...row, agent: `bad-${at}` })))(
    '$reason names $field, and nothing starts: $because',
    async ({ agent, kind, spec, reason, field, waits }) => {
      await harness.createAgent(agent, { security: { allowedSecrets: ['s'] } } as never)
      await harness.client.create(kind, {
        metadata: { name: agent, namespace },
        spec: spec(agent),
      } as never)
      await expectProblem(kind, agent, reason, field)
      const secrets = kind === bindings ? { secrets: ['s'] } : {}
      await harness.create(agent, 'exit 0', { agentRef: { name: agent }, ...secrets })
      const run = await harness.until(agent, (one) =>
        ['Admitted', 'Resolved', 'Accepted', 'Succeeded'].some((type) =>
          conditionText(one, type).endsWith(`/${waits}`),
        ),
      )
      expect(JSON.stringify(run.status?.conditions)).toContain(agent)
      expect(run.status?.startedAt).toBeUndefined()
      expect(await harness.jobsOf(agent)).toEqual([])
    },
  )
})

test('an approver who does not exist approves nothing, and the request names who could', async () => {
  await harness.createAgent('nobody')
  await harness.client.create(policies, {
    metadata: { name: 'nobody', namespace },
    spec: {
      approvers: [{ kind: 'ServiceAccount', name: 'no-such-account' }],
      subjects: [{ kind: 'Agent', name: 'nobody' }],
    },
  } as never)
  await harness.create('nobody', 'exit 0', { agentRef: { name: 'nobody' } })
  const run = await harness.until('nobody', (one) =>
    conditionText(one, 'Admitted').endsWith('/WaitingForApproval'),
  )
  expect(messageOf(run, 'Admitted')).toContain('ApprovalRequest')
  expect(await harness.jobsOf('nobody')).toEqual([])
})

test('a Workspace whose size is no quantity gets no claim', pollOptions, async () => {
  const workspaces = kindRef(workspace)
  await harness.client.create(workspaces, {
    metadata: { name: 'sized', namespace },
    spec: { size: 'large' },
  } as never)
  await expectProblem(workspaces, 'sized', 'InvalidSize', 'spec.size')
})

test(
  'an S3 that answers garbage is a reason of the Artifact, without its secret',
  pollOptions,
  async () => {
    const artifacts = kindRef(artifact)
    await harness.client.create(artifacts, {
      metadata: { name: 'report', namespace },
      spec: {
        source: {
          ...{ type: 'File', name: 'report', pod: 'p', checksum: `sha256:${'0'.repeat(64)}` },
          ...{ sizeBytes: 1, contentType: 'text/plain' },
        },
      },
    } as never)
    const message = await expectProblem(artifacts, 'report', 'StoreFailed', 'JANGAR_ARTIFACTS_')
    expect(message).not.toContain('very-secret-value')
  },
)

test('a valid policy lets the same run start', pollOptions, async () => {
  await harness.createAgent('fine')
  await harness.client.create(budgets, {
    metadata: { name: 'fine', namespace },
    spec: { scope: { agentRef: { name: 'fine' } }, limits },
  } as never)
  await harness.create('fine', 'exit 0', { agentRef: { name: 'fine' } })
  expect((await harness.untilFinished('fine')).status?.phase).toBe('Succeeded')
  const { items } = await harness.client.list(JobKind, { namespace })
  expect(items).toHaveLength(1)
})

async function expectProblem(kind: KindRef, name: string, reason: string, field: string) {
  let found: Condition | undefined
  let status: unknown
  await until(
    async () => {
      const object = (await harness.client.get(kind, { namespace, name })) as KubeObject & {
        status?: { conditions?: Condition[] }
      }
      status = object.status
      found = object.status?.conditions?.find((one) => one.type === 'Ready')
      return found?.status === 'False' && found.reason === reason
    },
    `${kind.kind} ${name} never got ${reason}: ${JSON.stringify(status)}`,
  )
  expect(found?.message).toContain(field)
  return found?.message ?? ''
}

import {
  type AgentRun,
  type ApprovalDecision,
  type ApprovalRequest,
  agent,
  agentProvider,
  agentRun,
  approvalDecision,
  approvalPolicy,
  approvalRequest,
  orchestration,
  tool,
} from '@agents/jangar-api'
import { type Condition, JobKind, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { until as untilTrue } from '../../support/testbed/until.ts'
import type { AnyObject, Tenants } from './tenants.ts'

export const agentRuns = kindRef<AgentRun>(agentRun)
export const requests = kindRef<ApprovalRequest>(approvalRequest)
export const decisions = kindRef<ApprovalDecision>(approvalDecision)

/** More than tenants ever have: all kinds of the platform, with their status. */
const careless = {
  apiGroups: [
    'approvals.proompteng.ai',
    'agents.proompteng.ai',
    'tools.proompteng.ai',
    'orchestration.proompteng.ai',
  ],
  resources: ['*'],
  verbs: ['*'],
}

/** Reports which step of an attack hangs, instead of the test as a whole. */
export function until(ask: () => Promise<boolean>, otherwise?: string): Promise<boolean> {
  return untilTrue(ask, otherwise, { timeoutMs: 200_000 })
}

let count = 0

export function decisionOf(
  request: ApprovalRequest,
  fields: { readonly by: string; readonly [field: string]: unknown },
): AnyObject {
  count += 1
  const { namespace, name } = request.metadata
  const { by, ...rest } = fields
  return {
    apiVersion: approvalDecision.apiVersion,
    kind: 'ApprovalDecision',
    metadata: { name: `decision-${count}`, namespace: namespace ?? '' },
    spec: {
      requestRef: { name },
      digest: request.spec.digest,
      decision: 'Approve',
      approver: { username: by },
      ...rest,
    },
  }
}

export function runObject(
  namespace: string,
  name: string,
  text: string,
  fields: object = {},
): AnyObject {
  return {
    apiVersion: agentRun.apiVersion,
    kind: 'AgentRun',
    metadata: { name, namespace },
    spec: {
      agentRef: { name: 'coder' },
      implementation: { inline: { text } },
      runtime: { type: 'job' },
      ...fields,
    },
  }
}

/** A namespace with an agent whose runs need an approval. */
export async function approvalRoom(tenants: Tenants, policy: object) {
  const { admin } = tenants
  const namespace = await tenants.namespace()
  const create = (kind: KindRef, name: string, spec: object) =>
    admin.create(kind, { metadata: { name, namespace }, spec } as never)
  await create(kindRef(agentProvider), 'shell', { binary: '/bin/sh' })
  await create(kindRef(agent), 'coder', { providerRef: { name: 'shell' } })
  await create(kindRef(tool), 'merge', { image: 'tool:1', command: ['merge'] })
  await create(kindRef(orchestration), 'graph', {
    steps: [{ name: 'merge', kind: 'ToolRun', toolRef: { name: 'merge' } }],
  })
  await create(kindRef(approvalPolicy), 'people', {
    subjects: [{ kind: 'Agent', name: 'coder' }],
    approvers: [
      { kind: 'User', name: 'developer' },
      { kind: 'User', name: 'attacker' },
      { kind: 'Group', name: 'reviewers' },
    ],
    ...policy,
  })
  const given = { namespace, rules: [careless] }
  const attacker = await tenants.user('attacker', given)
  const developer = await tenants.user('developer', given)
  const member = await tenants.user('member', given)
  const writer = await tenants.user('writer', given)
  const conditionOf = async (kind: KindRef, name: string, type: string) => {
    const { status } = (await admin.get(kind, { namespace, name })) as KubeObject
    const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] }
    return conditions.find((one) => one.type === type)
  }
  const reason = async (kind: KindRef, name: string, type: string, wanted: string) => {
    let found: Condition | undefined
    try {
      await until(async () => {
        found = await conditionOf(kind, name, type)
        return found?.reason === wanted
      })
    } catch (cause) {
      const shown = JSON.stringify(found)
      throw new Error(`${name} has ${type} ${shown}, not ${wanted}`, { cause })
    }
    return found
  }
  /** The open request of a run, once there is one. */
  const requestOf = async (run: string): Promise<ApprovalRequest> => {
    let found: ApprovalRequest | undefined
    await until(async () => {
      const { items } = await admin.list(requests, { namespace })
      const { items: runs } = await admin.list(agentRuns, { namespace })
      // The request of an earlier run of the same name is withdrawn only after a moment.
      const uid = runs.find(({ metadata }) => metadata.name === run)?.metadata.uid
      found = items.find(
        ({ spec: { subject, cancel }, status }) =>
          subject.name === run &&
          (subject.kind !== 'AgentRun' || subject.uid === uid) &&
          cancel !== true &&
          status?.finishedAt === undefined,
      )
      return found !== undefined
    }, `${run} has no open request`)
    return found as ApprovalRequest
  }
  const waits = async (run: string) => {
    const { message } = (await reason(agentRuns, run, 'Admitted', 'WaitingForApproval')) ?? {}
    return message ?? ''
  }
  const jobsOf = async (run: string) => {
    const { items } = await admin.list(JobKind, { namespace })
    return items.filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ name }) => name === run),
    )
  }
  const ignored = (decision: AnyObject, why: string) =>
    reason(decisions as KindRef, decision.metadata.name, 'Succeeded', why)
  const users = { attacker, developer, member, writer }
  return { ...users, namespace, reason, requestOf, waits, jobsOf, ignored, conditionOf }
}

export type Room = Awaited<ReturnType<typeof approvalRoom>>

import { approvalPolicy, orchestration, orchestrationRun, tool, toolRun } from '@agents/jangar-api'
import { JobKind, type KindRef, kindRef } from '@agents/kube'
import { expect, test } from 'vitest'
import {
  agentRuns,
  approvalRoom,
  decisionOf,
  type Room,
  requests,
  runObject,
  until,
} from './approval-room.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const policies = kindRef(approvalPolicy)
const orchestrationRuns = kindRef(orchestrationRun) as KindRef

const spec = {
  subjects: ['Agent', 'Tool', 'Orchestration'].map((kind) => ({ kind, name: '*' })),
  approvers: [{ kind: 'User', name: 'developer' }],
}

const runKinds: readonly [kind: KindRef, spec: object][] = [
  [
    agentRuns as KindRef,
    {
      agentRef: { name: 'coder' },
      implementation: { inline: { text: 'Greet' } },
      runtime: { type: 'job' },
    },
  ],
  [kindRef(toolRun) as KindRef, { toolRef: { name: 'merge' } }],
  [orchestrationRuns, { orchestrationRef: { name: 'graph' } }],
]

/** What happens to runs that need an approval while their policy is being replaced. */
export function testReplacedPolicy(tenants: () => Tenants): void {
  const jobsIn = async (namespace: string) =>
    (await tenants().admin.list(JobKind, { namespace })).items.length
  const create = async (room: Room, name: string) => {
    for (const [{ group, version, kind }, body] of runKinds) {
      const run: AnyObject = {
        ...{ apiVersion: `${group}/${version}`, kind },
        ...{ metadata: { name, namespace: room.namespace }, spec: body },
      }
      expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    }
  }
  const all = (room: Room, reason: string) =>
    Promise.all(runKinds.map(([kind]) => room.reason(kind, 'run', 'Admitted', reason)))
  const remove = (room: Room) =>
    tenants().admin.delete(policies, { namespace: room.namespace, name: 'people' })
  const restore = (room: Room, changes: object = {}) =>
    tenants().admin.create(policies, {
      metadata: { name: 'people', namespace: room.namespace },
      spec: { ...spec, ...changes },
    } as never)

  test('replacing a policy starts nothing that waits for it', async () => {
    const room = await approvalRoom(tenants(), spec)
    const { namespace } = room
    await create(room, 'run')
    await all(room, 'WaitingForApproval')
    const asking = async () => (await tenants().admin.list(requests, { namespace })).items
    await until(async () => (await asking()).length === runKinds.length, 'not all are asked about')
    const before = await asking()
    await remove(room)
    for (const condition of await all(room, 'PolicyMissing')) {
      expect(condition?.message).toContain('ApprovalPolicy people does not exist')
    }
    expect(await jobsIn(namespace)).toBe(0)
    await restore(room)
    await all(room, 'WaitingForApproval')
    expect(await jobsIn(namespace)).toBe(0)
    // What was asked before is still asked, and an answer counts.
    const items = await asking()
    const uids = (of: typeof items) => of.map(({ metadata }) => metadata.uid).toSorted()
    expect(uids(items)).toEqual(uids(before))
    const asked = items.filter(({ spec: { subject } }) => subject.kind === 'AgentRun')
    expect(asked).toHaveLength(1)
    for (const request of asked) {
      await room.developer.create(decisionOf(request, { by: 'developer' }))
    }
    const admitted = await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'Admitted')
    expect(admitted?.message).toContain('approved by developer')
    await until(async () => (await jobsIn(namespace)) === 1)
  })

  test('whoever may write the policy can say that a run needs no approval any more', async () => {
    const room = await approvalRoom(tenants(), spec)
    const run = runObject(room.namespace, 'run', 'Greet')
    expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    const { metadata } = await room.requestOf('run')
    await remove(room)
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'PolicyMissing')
    // A policy that nobody can follow says nothing.
    await restore(room, { subjects: [], quorum: 7 })
    await room.reason(policies as KindRef, 'people', 'Ready', 'QuorumUnreachable')
    await room.reason(requests as KindRef, metadata.name, 'Succeeded', 'PolicyNotReady')
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'WaitingForApproval')
    const body = { spec: { quorum: 1 } }
    await tenants().admin.patch(policies, { namespace: room.namespace, name: 'people' }, {
      ...{ type: 'merge', body },
    } as never)
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'Admitted')
    await room.reason(requests as KindRef, metadata.name, 'Finished', 'Cancelled')
  })

  test('only who may update policies deletes a request, and so what a run waits for', async () => {
    const room = await approvalRoom(tenants(), spec)
    const { namespace } = room
    const run = runObject(namespace, 'run', 'Greet')
    expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    const { metadata } = await room.requestOf('run')
    const rules = [
      {
        apiGroups: ['approvals.proompteng.ai'],
        resources: ['approvalrequests'],
        verbs: ['*'],
      },
    ]
    await tenants().user('permitted', { namespace, rules })
    await remove(room)
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'PolicyMissing')
    const client = tenants().client('permitted')
    const denied = expect.objectContaining({
      code: 403,
      message: expect.stringContaining('the right to update the ApprovalPolicies'),
    })
    await expect(client.delete(requests, metadata)).rejects.toEqual(denied)
    // Without its owner it is a request about the run all the same.
    const body = { metadata: { ownerReferences: null } }
    await client.patch(requests, metadata, { type: 'merge', body })
    await tenants().admin.patch(agentRuns, run.metadata, {
      ...{ type: 'merge', body: { metadata: { labels: { reconcile: 'again' } } } },
    } as never)
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'PolicyMissing')
    expect(await room.jobsOf('run')).toEqual([])
    await tenants().client('developer').delete(requests, metadata)
    await room.reason(agentRuns as KindRef, 'run', 'Admitted', 'Admitted')
  })

  test('an ApprovalGate waits while its policy is replaced', async () => {
    const room = await approvalRoom(tenants(), {})
    const { namespace } = room
    const { admin } = tenants()
    await admin.create(policies, {
      metadata: { name: 'gate', namespace },
      spec: { approvers: spec.approvers },
    } as never)
    await admin.create(kindRef(orchestration), {
      metadata: { name: 'gated', namespace },
      spec: {
        steps: [
          { name: 'ask', kind: 'ApprovalGate', policyRef: 'gate' },
          { name: 'write', kind: 'ToolRun', toolRef: { name: 'write' }, dependsOn: ['ask'] },
        ],
      },
    } as never)
    await admin.create(kindRef(tool), {
      metadata: { name: 'write', namespace },
      spec: { image: 'tool:1', command: ['write'] },
    } as never)
    const graphs = kindRef(orchestration) as KindRef
    await until(
      async () => (await room.conditionOf(graphs, 'gated', 'Ready'))?.status === 'True',
      'the graph is not ready',
    )
    const run: AnyObject = {
      ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
      metadata: { name: 'run', namespace },
      spec: { orchestrationRef: { name: 'gated' } },
    }
    expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    const request = await room.requestOf('run')
    await admin.delete(policies, { namespace, name: 'gate' })
    const { name } = request.metadata
    await room.reason(requests as KindRef, name, 'Succeeded', 'PolicyMissing')
    // A decision about a request whose policy is missing waits, too.
    const early = decisionOf(request, { by: 'developer' })
    expect(await room.developer.create(early)).toMatchObject({ code: 201 })
    await room.reason(orchestrationRuns, 'run', 'Succeeded', 'WaitingForApproval')
    expect(await jobsIn(namespace)).toBe(0)
    await admin.create(policies, {
      metadata: { name: 'gate', namespace },
      spec: { approvers: spec.approvers, quorum: 1 },
    } as never)
    await room.reason(requests as KindRef, name, 'Succeeded', 'Approved')
    await until(async () => (await jobsIn(namespace)) === 1)
  })
}

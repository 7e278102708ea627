import {
  approvalPolicy,
  type Orchestration,
  orchestration,
  orchestrationRun,
  toolRun,
} from '@agents/jangar-api'
import { JobKind, type KindRef, kindRef } from '@agents/kube'
import { expect, test } from 'vitest'
import { approvalRoom, decisionOf, requests, until } from './approval-room.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const toolRuns = kindRef(toolRun)
const orchestrationRuns = kindRef(orchestrationRun)

/** Approvals of runs that are not AgentRuns, and in the middle of one. */
export function testOtherRuns(tenants: () => Tenants): void {
  test.each([
    { kind: 'ToolRun', spec: { toolRef: { name: 'merge' } } },
    { kind: 'OrchestrationRun', spec: { orchestrationRef: { name: 'graph' } } },
  ])('a $kind waits too, for the policy that it names', async ({ kind, spec }) => {
    const room = await approvalRoom(tenants(), {})
    const { apiVersion } = kind === 'ToolRun' ? toolRun : orchestrationRun
    const runs = (kind === 'ToolRun' ? toolRuns : orchestrationRuns) as KindRef
    const run: AnyObject = {
      ...{ apiVersion, kind, metadata: { name: 'run', namespace: room.namespace } },
      spec: { ...spec, policy: { approvalPolicyRef: { name: 'people' } } },
    }
    expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    const request = await room.requestOf('run')
    await room.reason(runs, 'run', 'Admitted', 'WaitingForApproval')
    if (kind === 'OrchestrationRun') {
      const now = new Date().toISOString().replace(/\.\d+/, '')
      const yes = { status: 'True', reason: 'Admitted', message: '', lastTransitionTime: now }
      const forged = { status: { conditions: [{ type: 'Admitted', ...yes }] } }
      expect(await room.attacker.patch(run, forged, 'status')).toMatchObject({ code: 403 })
    }
    expect((await tenants().admin.list(JobKind, { namespace: room.namespace })).items).toEqual([])
    await room.developer.create(decisionOf(request, { by: 'developer' }))
    await until(
      async () =>
        (await tenants().admin.list(JobKind, { namespace: room.namespace })).items.length === 1,
    )
  })

  test('a step of kind ApprovalGate waits for a decision about what follows', async () => {
    const room = await approvalRoom(tenants(), {})
    const { namespace } = room
    await changeSteps(tenants(), namespace, [
      { name: 'ask', kind: 'ApprovalGate', policyRef: 'people', with: { version: '1.2' } },
      { name: 'merge', kind: 'ToolRun', toolRef: { name: 'merge' }, dependsOn: ['ask'] },
    ])
    const run: AnyObject = {
      ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
      metadata: { name: 'run', namespace },
      spec: { orchestrationRef: { name: 'graph' } },
    }
    expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
    const request = await room.requestOf('run')
    expect(request.spec).toMatchObject({
      subject: { kind: 'OrchestrationRun', name: 'run', step: 'ask' },
      requestedBy: 'attacker',
      summary: expect.stringMatching(/"version": "1.2"[\s\S]*merge: ToolRun merge after ask/),
    })
    const runs = orchestrationRuns as KindRef
    await room.reason(runs, 'run', 'Succeeded', 'WaitingForApproval')
    const own = decisionOf(request, { by: 'attacker' })
    await room.attacker.create(own)
    await room.ignored(own, 'OwnRequest')
    const jobs = async () => (await tenants().admin.list(JobKind, { namespace })).items.length
    expect(await jobs()).toBe(0)
    await room.developer.create(decisionOf(request, { by: 'developer' }))
    await until(async () => (await jobs()) === 1)
  })

  test('an approval of one run does not open the gate of a run that resumes it', async () => {
    const room = await approvalRoom(tenants(), {})
    const { namespace } = room
    const when = "parameters.target == 'production'"
    await changeSteps(tenants(), namespace, [
      { name: 'ask', kind: 'ApprovalGate', policyRef: 'people' },
      { name: 'merge', kind: 'ToolRun', toolRef: { name: 'merge' }, dependsOn: ['ask'], when },
    ])
    const start = (name: string, spec: object) =>
      room.attacker.create({
        ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
        metadata: { name, namespace },
        spec: { orchestrationRef: { name: 'graph' }, ...spec },
      })
    const runs = orchestrationRuns as KindRef
    expect(await start('ok', { parameters: { target: 'staging' } })).toMatchObject({ code: 201 })
    await room.developer.create(decisionOf(await room.requestOf('ok'), { by: 'developer' }))
    await room.reason(runs, 'ok', 'Succeeded', 'Succeeded')
    const attack = { parameters: { target: 'production' }, resumeFrom: { name: 'ok' } }
    expect(await start('attack', attack)).toMatchObject({ code: 201 })
    await room.reason(runs, 'attack', 'Succeeded', 'WaitingForApproval')
    expect((await room.requestOf('attack')).spec.summary).toContain('production')
    expect((await tenants().admin.list(toolRuns, { namespace })).items).toEqual([])
  })

  test('a policy neither holds nor decides runs of another namespace', async () => {
    const room = await approvalRoom(tenants(), {})
    const elsewhere = await approvalRoom(tenants(), {})
    const subjects = ['Tool', 'ToolRun'].map((kind) => ({
      ...{ kind, name: '*', namespace: room.namespace },
    }))
    const policy: AnyObject = {
      ...{ apiVersion: approvalPolicy.apiVersion, kind: 'ApprovalPolicy' },
      metadata: { name: 'foreign', namespace: elsewhere.namespace },
      spec: { subjects, approvers: [{ kind: 'User', name: 'attacker' }] },
    }
    expect(await elsewhere.attacker.create(policy)).toMatchObject({ code: 201 })
    const policies = kindRef(approvalPolicy) as KindRef
    const { message } =
      (await elsewhere.reason(policies, 'foreign', 'Ready', 'InvalidSubject')) ?? {}
    expect(message).toContain(`spec.subjects[0].namespace: must be ${elsewhere.namespace}`)
    const run = (namespace: string, spec: object = {}): AnyObject => ({
      ...{ apiVersion: toolRun.apiVersion, kind: 'ToolRun' },
      metadata: { name: 'run', namespace },
      spec: { toolRef: { name: 'merge' }, ...spec },
    })
    expect(await room.writer.create(run(room.namespace))).toMatchObject({ code: 201 })
    await until(async () => (await room.jobsOf('run')).length === 1, 'the run is held')
    // A policy that is not valid approves nothing: in its own namespace it lets nothing pass.
    expect(await elsewhere.writer.create(run(elsewhere.namespace))).toMatchObject({ code: 201 })
    await elsewhere.reason(toolRuns as KindRef, 'run', 'Admitted', 'WaitingForApproval')
    // A policy of another namespace cannot be named either.
    const named = { policy: { approvalPolicyRef: { name: 'foreign' } } }
    const borrowed = {
      ...run(room.namespace, named),
      metadata: { name: 'named', namespace: room.namespace },
    }
    expect(await room.writer.create(borrowed)).toMatchObject({ code: 201 })
    const waits = await room.reason(toolRuns as KindRef, 'named', 'Admitted', 'PolicyMissing')
    expect(waits?.message).toContain('ApprovalPolicy foreign does not exist')
    const { items } = await tenants().admin.list(requests, { namespace: room.namespace })
    expect(items.filter(({ spec }) => spec.policyRef.name === 'foreign')).toEqual([])
  })
}

async function changeSteps({ admin }: Tenants, namespace: string, steps: readonly object[]) {
  const key = { namespace, name: 'graph' }
  const graphs = kindRef<Orchestration>(orchestration)
  const body = { spec: { steps } }
  const { metadata } = await admin.patch(graphs, key, { type: 'merge', body } as never)
  // A run that is created before the controllers know the new steps has the old ones.
  await until(async () => {
    const { status } = await admin.get(graphs, key)
    return Number(status?.observedGeneration) >= Number(metadata.generation)
  }, 'the new steps are not observed')
}

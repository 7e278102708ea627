import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type ToolRun,
  toolRun,
} from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { expect, test } from 'vitest'
import { childNameOf } from '../../../services/jangar/src/server/orchestration-controller/run/child-name.ts'
import { approvalRoom, decisionOf, requests, until } from './approval-room.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const graphs = kindRef<Orchestration>(orchestration)
const runs = kindRef<OrchestrationRun>(orchestrationRun)
const toolRuns = kindRef<ToolRun>(toolRun)

/** An object of a tenant under the name of a gate's ApprovalRequest, with a decision of its own. */
export function testForgedChild(tenants: () => Tenants): void {
  test('a ToolRun that claims to be the child of an ApprovalGate decides nothing', async () => {
    const { admin } = tenants()
    const room = await approvalRoom(tenants(), {})
    const { namespace } = room
    const key = { namespace, name: 'graph' }
    const steps = [
      { name: 'first', kind: 'ApprovalGate', policyRef: 'people' },
      { name: 'approve', kind: 'ApprovalGate', policyRef: 'people', dependsOn: ['first'] },
      { name: 'merge', kind: 'ToolRun', toolRef: { name: 'merge' }, dependsOn: ['approve'] },
    ]
    const { metadata } = await admin.patch(graphs, key, {
      type: 'merge',
      body: { spec: { steps } },
    })
    await until(async () => {
      const { status } = await admin.get(graphs, key)
      return Number(status?.observedGeneration) >= Number(metadata.generation)
    }, 'the new steps are not observed')
    const run: AnyObject = {
      ...{ apiVersion: orchestrationRun.apiVersion, kind: 'OrchestrationRun' },
      metadata: { name: 'run', namespace },
      spec: { orchestrationRef: { name: 'graph' } },
    }
    expect(await room.writer.create(run)).toMatchObject({ code: 201 })
    const first = await room.requestOf('run')
    expect(first.spec.subject.step).toBe('first')
    const victim = await admin.get(runs, { namespace, name: 'run' })

    // Before the gate begins, since its name and the UID of the run are known by then.
    const name = childNameOf(victim, 'approve', undefined, 1)
    const owner = {
      ...{ apiVersion: 'example.com/v1', kind: 'OrchestrationRun', name: 'run' },
      ...{ uid: victim.metadata.uid, controller: true },
    }
    const labels = {
      'jangar.proompteng.ai/orchestration-run': 'run',
      'jangar.proompteng.ai/orchestration-step': 'approve',
    }
    const forged: AnyObject = {
      ...{ apiVersion: toolRun.apiVersion, kind: 'ToolRun' },
      metadata: { ...{ name, namespace, labels, ownerReferences: [owner] } },
      spec: { toolRef: { name: 'merge' } },
    }
    expect(await room.attacker.create(forged)).toMatchObject({ code: 201 })
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const yes = (type: string) => ({
      ...{ type, status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: now },
    })
    // As if its program had ended and reported this.
    const ended = {
      conditions: ['Accepted', 'Admitted', 'Finished', 'Succeeded'].map(yes),
      outputs: { decision: 'Approved', decidedBy: 'boss' },
    }
    await until(async () => {
      await room.attacker.patch(forged, { status: ended }, 'status')
      const { status } = await admin.get(toolRuns, { namespace, name })
      const { decidedBy } = (status?.outputs ?? {}) as { readonly decidedBy?: string }
      return decidedBy === 'boss'
    }, 'the forged ToolRun has not ended')
    const completed = { metadata: { ownerReferences: [{ ...owner, ...kindOf(victim) }] } }
    expect(await room.attacker.patch(forged, completed)).toMatchObject({ code: 403 })

    await room.developer.create(decisionOf(first, { by: 'developer' }))
    const stepOf = async (wanted: string) => {
      const { status } = await admin.get(runs, { namespace, name: 'run' })
      return status?.stepStatuses?.find((step) => step.name === wanted)
    }
    await until(async () => (await stepOf('first'))?.phase === 'Succeeded', 'first has not ended')
    await until(async () => (await stepOf('approve'))?.phase !== 'Pending', 'approve waits')
    expect(await stepOf('approve')).toMatchObject({
      ...{ phase: 'Running', reason: 'WaitingForApproval' },
    })
    // Longer than the run takes to go on from a decision.
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(await stepOf('approve')).toMatchObject({ phase: 'Running' })
    expect(await stepOf('merge')).toMatchObject({ phase: 'Pending' })
    const { items } = await admin.list(requests, { namespace })
    const genuine = items.find(({ spec }) => spec.subject.step === 'approve')
    expect(genuine?.metadata.name).toBe(name)
    if (genuine === undefined) return
    await room.developer.create(decisionOf(genuine, { by: 'developer' }))
    await until(async () => (await stepOf('merge'))?.phase === 'Running', 'merge has not begun')
    expect((await stepOf('approve'))?.outputs).toMatchObject({ decidedBy: 'developer' })
  })
}

function kindOf({ apiVersion, kind }: OrchestrationRun) {
  return { apiVersion, kind }
}

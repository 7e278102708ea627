import {
  type AgentRun,
  agentRun,
  type OrchestrationRun,
  orchestrationRun,
  type Schedule,
  schedule,
  type ToolRun,
  toolRun,
} from '@agents/jangar-api'
import { type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'

export const schedules = kindRef<Schedule>(schedule)
export const runs = kindRef<AgentRun>(agentRun)
/** The other kinds that a schedule starts; `own` is what a copy of a run leaves out. */
export const others = {
  ToolRun: {
    runs: kindRef<ToolRun>(toolRun) as KindRef,
    spec: { toolRef: { name: 'sweep' }, parameters: { depth: '2' } },
    own: { deliveryId: 'once' },
  },
  OrchestrationRun: {
    runs: kindRef<OrchestrationRun>(orchestrationRun) as KindRef,
    spec: { orchestrationRef: { name: 'nightly' }, parameters: { depth: '2' } },
    own: { deliveryId: 'once', resumeFrom: { name: 'other' } },
  },
}
export const anHour = 3_600_000

export const hourly = {
  // Half an hour from now, so that nothing is due while a test prepares itself.
  cron: `${(new Date().getUTCMinutes() + 30) % 60} * * * *`,
  template: {
    kind: 'AgentRun',
    metadata: {
      labels: { purpose: 'test' },
      annotations: { 'agents.proompteng.ai/requested-by': 'somebody-else', note: 'kept' },
    },
    spec: {
      agentRef: { name: 'any' },
      implementation: { inline: { text: 'Greet' } },
      runtime: { type: 'job' },
    },
  },
}

/**
 * A schedule `tick` in a namespace of its own, with controllers whose clock the test sets. That of AgentRuns does not
 * run: the test decides when runs end.
 */
export async function startSchedule(client: KubeClient, spec: object = {}) {
  const harness = await startAgents(client)
  const { namespace } = harness
  await harness.create(schedules, 'tick', { spec: { ...hourly, ...spec } })
  const current = () => client.get(schedules, { namespace, name: 'tick' })
  const started = async () => (await client.list(runs, { namespace })).items
  /** Advances the clock by an hour, and waits until the schedule has handled what is due then. */
  const nextHour = async () => {
    const before = (await current()).status?.lastScheduleTime
    harness.skip(anHour)
    await harness.touch(schedules, 'tick')
    await until(async () => (await current()).status?.lastScheduleTime !== before)
  }
  const end = async (run: AgentRun, phase: 'Succeeded' | 'Failed') => {
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const condition = (type: string, status: string) => ({
      type,
      status,
      reason: phase,
      message: '',
      lastTransitionTime: now,
    })
    const isGood = phase === 'Succeeded' ? 'True' : 'False'
    const conditions = [condition('Finished', 'True'), condition('Succeeded', isGood)]
    const status = { phase, conditions, finishedAt: now }
    const body = { ...(await client.get(runs, run.metadata)), status }
    await client.update(runs, body as AgentRun, { subresource: 'status' })
  }
  const change = (body: object) =>
    client.patch(schedules, { namespace, name: 'tick' }, { type: 'merge', body: { spec: body } })
  const remove = (run: string) => client.delete(runs, { namespace, name: run })
  return { ...harness, current, started, nextHour, end, change, remove }
}

import {
  type Agent,
  type AgentProvider,
  type AgentRun,
  agent,
  agentProvider,
  agentRun,
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type Signal,
  signal,
} from '@agents/jangar-api'
import { type KubeClient, kindRef } from '@agents/kube'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'

export const orchestrations = kindRef<Orchestration>(orchestration)
export const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)
export const agentRuns = kindRef<AgentRun>(agentRun)
export const stepLabel = 'jangar.proompteng.ai/orchestration-step'

export function agentStep(name: string, fields: object = {}) {
  const implementation = { inline: { text: `Do ${name}` } }
  return { name, kind: 'AgentRun', agentRef: { name: 'coder' }, implementation, ...fields }
}

/** Starts the controllers except that of AgentRuns, whose end the tests decide, and creates the Orchestration. */
export async function startOrchestrations(client: KubeClient, spec: object) {
  const harness = await startAgents(client)
  const { namespace, create, ready } = harness
  await create(kindRef<AgentProvider>(agentProvider), 'shell', { spec: { binary: '/bin/sh' } })
  await create(kindRef<Agent>(agent), 'coder', { spec: { providerRef: { name: 'shell' } } })
  await create(kindRef<Signal>(signal), 'pushed', { spec: {} })
  await create(orchestrations, 'graph', { spec })
  await ready(orchestrations, 'graph')
  const current = (name = 'run') => client.get(orchestrationRuns, { namespace, name })
  const run = (fields: object = {}, name = 'run') =>
    create(orchestrationRuns, name, { spec: { orchestrationRef: { name: 'graph' }, ...fields } })
  const children = async () => (await client.list(agentRuns, { namespace })).items
  const ofStep = async (step: string) => {
    const all = await children()
    return all.filter(({ metadata }) => metadata.labels?.[stepLabel] === step)
  }
  /** The AgentRuns of a step, once there are so many. */
  const started = async (step: string, count = 1): Promise<AgentRun[]> => {
    await until(async () => (await ofStep(step)).length >= count)
    return ofStep(step)
  }
  const end = async (
    one: AgentRun | undefined,
    reason: 'Succeeded' | 'JobFailed' | 'Cancelled' = 'Succeeded',
    status: object = {},
  ) => {
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const condition = (type: string, value: string) => ({
      ...{ type, status: value, reason, message: 'as told', lastTransitionTime: now },
    })
    const isGood = reason === 'Succeeded' ? 'True' : 'False'
    const conditions = [condition('Finished', 'True'), condition('Succeeded', isGood)]
    const found = await client.get(agentRuns, one?.metadata ?? { name: '' })
    const body = { ...found, status: { conditions, finishedAt: now, ...status } }
    await client.update(agentRuns, body as AgentRun, { subresource: 'status' })
  }
  const finished = async (reason: string, name = 'run') => {
    await harness.waitForCondition(orchestrationRuns, name, 'Finished', reason)
    return (await current(name)).status
  }
  return { ...harness, current, run, children, ofStep, started, end, finished }
}

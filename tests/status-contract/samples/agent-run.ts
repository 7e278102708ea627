import { pass, runReconciler, succeeded, wait } from '@agents/controller'
import { type AgentRun, agentRun, agentRunConditions } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import type { ContractSubject, World, WorldPorts } from '../contract-subject.ts'
import { configMapDependency, watchConfigMaps } from './config-map-dependency.ts'

const aDay = 86_400_000

/** A kind that runs once: it starts when its agent is there, and ends a moment after. */
export const agentRunSample: ContractSubject = {
  kind: agentRun,
  spec: {
    agentRef: { name: 'agent' },
    implementation: { inline: { text: 'Say hello.' } },
    runtime: { type: 'job' },
  },
  changedSpec: { ttlSecondsAfterFinished: 3600 },
  dependency: configMapDependency('agent'),
  world: (ports): World => {
    const agents = watchConfigMaps(ports)
    const { informer } = ports.informers.acquire<AgentRun>(kindRef(agentRun), {
      namespace: ports.namespace,
    })
    return {
      reconciler: reconcilerOf(ports, agents.has),
      sources: [agents.sourceFor(() => informer.store.list())],
    }
  },
}

function reconcilerOf(
  { namespace }: WorldPorts,
  hasAgent: (key: { namespace: string; name: string }) => boolean,
): World['reconciler'] {
  return runReconciler({
    kind: 'AgentRun',
    conditions: agentRunConditions,
    gates: [
      {
        condition: 'Accepted',
        check: ({ spec: { agentRef } }: AgentRun) =>
          hasAgent({ namespace, name: agentRef.name })
            ? pass('Accepted', 'all is there')
            : wait('DependencyMissing', `Agent ${agentRef.name} does not exist`, aDay),
      },
      { condition: 'Admitted', check: () => pass('Admitted', 'there is room') },
      { condition: 'Started', check: () => pass('Started', 'its container runs') },
    ],
    work: ({ status }: AgentRun) =>
      status?.startedAt === undefined
        ? wait('Running', 'its container runs', 1)
        : succeeded('its container ended with 0', { detail: { exitCode: 0 } }),
  })
}

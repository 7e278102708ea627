import { type KindController, livingReconciler } from '@agents/controller'
import { type Agent, agentConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import type { AgentsPorts } from '../ports.ts'
import { versionControlResolved } from '../version-control-provider/gates/version-control-resolved.ts'
import { memoryResolved, providerResolved } from './gates/references-resolved.ts'
import { systemPromptResolved } from './gates/system-prompt-resolved.ts'

/** Reconciles Agents: ready if everything that their runs use by default exists. */
export function agentController({ caches }: AgentsPorts): KindController<Agent> {
  const { agents } = caches
  const promptIn = (kind: 'Secret' | 'ConfigMap') => (agent: Agent) => {
    const ref = agent.spec.defaults?.systemPromptRef
    return [ref?.kind === kind ? ref.name : undefined]
  }
  return {
    primary: agents,
    reconciler: livingReconciler({
      kind: 'Agent',
      conditions: agentConditions,
      gates: [
        providerResolved(caches),
        memoryResolved(caches),
        versionControlResolved<Agent>(caches),
        systemPromptResolved(caches),
      ],
    }),
    sources: [
      referrersSource('agentproviders', caches.agentProviders, agents, ({ spec }) => [
        spec.providerRef.name,
      ]),
      referrersSource('memories', caches.memories, agents, ({ spec }) => [spec.memoryRef?.name]),
      referrersSource(
        'versioncontrolproviders',
        caches.versionControlProviders,
        agents,
        ({ spec }) => [spec.vcsRef?.name],
      ),
      referrersSource('secrets', caches.secrets, agents, promptIn('Secret')),
      referrersSource('configmaps', caches.configMaps, agents, promptIn('ConfigMap')),
    ],
  }
}

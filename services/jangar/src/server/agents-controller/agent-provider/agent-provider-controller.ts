import { type KindController, livingReconciler } from '@agents/controller'
import { type AgentProvider, agentProviderConditions } from '@agents/jangar-api'
import type { AgentsPorts } from '../ports.ts'
import { validated } from './gates/validated.ts'

/** Reconciles AgentProviders: ready if their spec is valid. They have no dependencies. */
export function agentProviderController({ caches }: AgentsPorts): KindController<AgentProvider> {
  return {
    primary: caches.agentProviders,
    reconciler: livingReconciler({
      kind: 'AgentProvider',
      conditions: agentProviderConditions,
      gates: [validated],
    }),
    sources: [],
  }
}

import { type KindController, livingReconciler } from '@agents/controller'
import { type AgentProvider, agentProviderConditions } from '@agents/jangar-api'
import type { AgentsPorts } from '../ports.ts'
import { validated } from './validated.ts'

/** Providers: ready when their spec makes sense. They refer to nothing. */
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

import { type GateOf, pass } from '@agents/controller'
import type { Agent, agentConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'

export function providerResolved({
  agentProviders,
}: Pick<AgentsCaches, 'agentProviders'>): GateOf<
  typeof agentConditions,
  'ProviderResolved',
  Agent
> {
  return {
    condition: 'ProviderResolved',
    check: ({ metadata: { namespace }, spec: { providerRef } }) => {
      const { name } = providerRef
      const provider = agentProviders.get(formatKey({ namespace, name }))
      if (!provider) {
        return waitFor('MissingProvider', `AgentProvider ${name} does not exist; create it`)
      }
      // The condition counts even if it was observed for an older generation: editing a provider must not make its
      // agents flap.
      const ready = provider.status?.conditions?.find(({ type }) => type === 'Ready')
      if (ready?.status === 'True') return pass('Resolved', `AgentProvider ${name} is ready`)
      const why = ready?.message ? `: ${ready.message}` : ''
      return waitFor('ProviderNotReady', `AgentProvider ${name} is not ready${why}`)
    },
  }
}

export function memoryResolved({
  memories,
}: Pick<AgentsCaches, 'memories'>): GateOf<typeof agentConditions, 'MemoryResolved', Agent> {
  return {
    condition: 'MemoryResolved',
    check: ({ metadata: { namespace }, spec: { memoryRef } }) => {
      if (!memoryRef) return pass('NotRequired', 'no Memory is specified')
      const { name } = memoryRef
      return memories.get(formatKey({ namespace, name }))
        ? pass('Resolved', `Memory ${name} exists`)
        : waitFor('MissingMemory', `Memory ${name} does not exist; create it`)
    },
  }
}

import { type GateOf, pass } from '@agents/controller'
import type { Agent, agentConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { AgentsCaches } from '../agents-caches.ts'
import { waitFor } from '../wait-for.ts'

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
      // Also what was found for an older spec counts: an edit must not make every agent flicker.
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
      if (!memoryRef) return pass('NotRequired', 'no Memory is named')
      const { name } = memoryRef
      return memories.get(formatKey({ namespace, name }))
        ? pass('Resolved', `Memory ${name} is there`)
        : waitFor('MissingMemory', `Memory ${name} does not exist; create it`)
    },
  }
}

import { type GateOf, pass, stall } from '@agents/controller'
import type { Agent, agentConditions } from '@agents/jangar-api'
import type { AgentsCaches } from '../agents-caches.ts'
import { missingKey } from '../missing-key.ts'
import { waitFor } from '../wait-for.ts'

export function systemPromptResolved(
  caches: Pick<AgentsCaches, 'secrets' | 'configMaps'>,
): GateOf<typeof agentConditions, 'SystemPromptResolved', Agent> {
  return {
    condition: 'SystemPromptResolved',
    check: ({ metadata: { namespace }, spec: { defaults, security } }) => {
      const ref = defaults?.systemPromptRef
      if (!ref) {
        return defaults?.systemPrompt === undefined
          ? pass('NotRequired', 'no standing instructions are named')
          : pass('Resolved', 'the standing instructions are in the agent itself')
      }
      const allowed = security?.allowedSecrets ?? []
      if (ref.kind === 'Secret' && allowed.length > 0 && !allowed.includes(ref.name)) {
        return stall(
          'SecretNotAllowed',
          `the standing instructions are in Secret ${ref.name}, which security.allowedSecrets lacks; add it there`,
        )
      }
      const missing = missingKey(caches, namespace, ref)
      if (missing) return waitFor('MissingSystemPrompt', missing.message)
      return pass(
        'Resolved',
        `the standing instructions are in ${ref.kind} ${ref.name}, key ${ref.key}`,
      )
    },
  }
}

import { type GateOf, pass, stall } from '@agents/controller'
import type { Agent, agentConditions } from '@agents/jangar-api'
import type { CoreCaches } from '../../../caches/core-caches.ts'
import { missingKey } from '../../../kubernetes/missing-key.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'

export function systemPromptResolved(
  caches: Pick<CoreCaches, 'secrets' | 'configMaps'>,
): GateOf<typeof agentConditions, 'SystemPromptResolved', Agent> {
  return {
    condition: 'SystemPromptResolved',
    check: ({ metadata: { namespace }, spec: { defaults, security } }) => {
      const ref = defaults?.systemPromptRef
      if (!ref) {
        return defaults?.systemPrompt === undefined
          ? pass('NotRequired', 'no system prompt is specified')
          : pass('Resolved', 'the system prompt is inline')
      }
      const allowed = security?.allowedSecrets ?? []
      if (ref.kind === 'Secret' && allowed.length > 0 && !allowed.includes(ref.name)) {
        return stall(
          'SecretNotAllowed',
          `the system prompt is in Secret ${ref.name}, which spec.security.allowedSecrets does not list; add it there`,
        )
      }
      const missing = missingKey(caches, namespace, ref)
      if (missing) return waitFor('MissingSystemPrompt', missing.message)
      return pass('Resolved', `the system prompt is key ${ref.key} of ${ref.kind} ${ref.name}`)
    },
  }
}

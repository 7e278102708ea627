import { type KindController, livingReconciler, pass } from '@agents/controller'
import { type ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { missingKey } from '../missing-key.ts'
import type { AgentsPorts } from '../ports.ts'
import { waitFor } from '../wait-for.ts'
import { synced } from './synced.ts'
import { validated } from './validated.ts'

/** Sources of work: ready when genuine deliveries can be told from others, and the last one was taken over. */
export function implementationSourceController({
  caches,
}: AgentsPorts): KindController<ImplementationSource> {
  const { implementationSources, secrets } = caches
  return {
    primary: implementationSources,
    reconciler: livingReconciler({
      kind: 'ImplementationSource',
      conditions: implementationSourceConditions,
      gates: [
        validated,
        {
          condition: 'CredentialsResolved',
          check: ({ metadata: { namespace }, spec: { auth } }) => {
            const { name, key = 'token' } = auth.secretRef
            const missing = missingKey(caches, namespace, { kind: 'Secret', name, key })
            if (missing) return waitFor(missing.reason, missing.message)
            return pass('SecretResolved', `Secret ${name} has the key ${key}`)
          },
        },
        synced,
      ],
    }),
    sources: [
      referrersSource('secrets', secrets, implementationSources, ({ spec }) => [
        spec.auth.secretRef.name,
      ]),
    ],
  }
}

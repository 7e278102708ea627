import { type KindController, livingReconciler, pass } from '@agents/controller'
import { type ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { missingKey } from '../../kubernetes/missing-key.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { waitFor } from '../../kubernetes/wait-for.ts'
import type { AgentsPorts } from '../ports.ts'
import { served } from './gates/served.ts'
import { synced } from './gates/synced.ts'
import { validated } from './gates/validated.ts'

/**
 * Reconciles ImplementationSources: ready if deliveries are received, can be authenticated, and the last one was
 * imported.
 */
export function implementationSourceController({
  caches,
  receivesWebhooks = false,
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
        served(receivesWebhooks),
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

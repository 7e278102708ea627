import { type KindController, livingReconciler, pass } from '@agents/controller'
import { type ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { missingKey } from '../../kubernetes/missing-key.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { waitFor } from '../../kubernetes/wait-for.ts'
import type { AgentsPorts } from '../ports.ts'
import { versionControlResolved } from '../version-control-provider/gates/version-control-resolved.ts'
import { served } from './gates/served.ts'
import { synced } from './gates/synced.ts'
import { validated } from './gates/validated.ts'

/**
 * Reconciles ImplementationSources: ready if issues are received or listed, and the last ones were imported.
 */
export function implementationSourceController({
  caches,
  receivesWebhooks = false,
}: AgentsPorts): KindController<ImplementationSource> {
  const { implementationSources, secrets, versionControlProviders } = caches
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
            const api = auth.apiKeySecretRef && { key: 'apiKey', ...auth.apiKeySecretRef }
            for (const one of [{ name, key }, ...(api ? [api] : [])]) {
              const missing = missingKey(caches, namespace, { kind: 'Secret', ...one })
              if (missing) return waitFor(missing.reason, missing.message)
            }
            return pass('SecretResolved', `Secret ${name} has the key ${key}`)
          },
        },
        versionControlResolved<ImplementationSource>(caches),
        served(receivesWebhooks),
        synced,
      ],
    }),
    sources: [
      referrersSource('secrets', secrets, implementationSources, ({ spec }) => [
        spec.auth.secretRef.name,
        spec.auth.apiKeySecretRef?.name,
      ]),
      referrersSource(
        'versioncontrolproviders',
        versionControlProviders,
        implementationSources,
        ({ spec }) => [spec.vcsRef?.name],
      ),
    ],
  }
}

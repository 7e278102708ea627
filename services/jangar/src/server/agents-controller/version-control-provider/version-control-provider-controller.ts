import { type KindController, livingReconciler, ownedSource } from '@agents/controller'
import { type VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import type { AgentsPorts } from '../ports.ts'
import { credentialsOf, credentialsResolved } from './credentials-resolved.ts'
import { tokenIssued } from './token-issued.ts'
import { validated } from './validated.ts'

/** Git hosting services: ready when runs could sign in. */
export function versionControlProviderController(
  ports: AgentsPorts,
): KindController<VersionControlProvider> {
  const { caches, config } = ports
  const { versionControlProviders: providers, secrets, configMaps } = caches
  const named = (kind: 'Secret' | 'ConfigMap') => (provider: VersionControlProvider) =>
    credentialsOf(provider)
      .filter((reference) => reference.kind === kind)
      .map(({ name }) => name)
  const spec = validated(config.agents.vcs.deprecatedTokenTypes)
  return {
    primary: providers,
    reconciler: livingReconciler({
      kind: 'VersionControlProvider',
      conditions: versionControlProviderConditions,
      clockFields: { stamped: ['updatedAt', 'lastValidatedAt'], carried: [] },
      gates: [spec, credentialsResolved(caches), tokenIssued(ports)],
    }),
    sources: [
      referrersSource('secrets', secrets, providers, named('Secret')),
      referrersSource('configmaps', configMaps, providers, named('ConfigMap')),
      ownedSource('minted tokens', secrets, providers.kind),
    ],
    // A service that does not answer takes seconds, and other providers should not wait for it.
    workers: 4,
  }
}

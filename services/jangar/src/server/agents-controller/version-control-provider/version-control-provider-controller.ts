import { type KindController, livingReconciler, ownedSource } from '@agents/controller'
import { type VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import type { AgentsPorts } from '../ports.ts'
import { credentialsOf, credentialsResolved } from './gates/credentials-resolved.ts'
import { tokenIssued } from './gates/token-issued.ts'
import { validated } from './gates/validated.ts'

/** Reconciles VersionControlProviders: ready if runs can authenticate. */
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
      clockFields: { stamped: ['updatedAt', 'lastValidatedAt'], passive: [] },
      gates: [spec, credentialsResolved(caches), tokenIssued(ports)],
    }),
    sources: [
      referrersSource('secrets', secrets, providers, named('Secret')),
      referrersSource('configmaps', configMaps, providers, named('ConfigMap')),
      ownedSource('minted tokens', secrets, providers.kind),
    ],
    // A request to an unreachable service takes seconds, which must not delay other providers.
    workers: 4,
  }
}

import { type ConfigOf, type ConfigRule, flag, list, text } from '@agents/config'
import { api, apiRules } from './api.ts'
import { archiveRetention } from './archive.ts'
import { artifactLimits, artifactRules } from './artifacts.ts'
import { clusterScopeRules } from './cluster-scope.ts'
import { optionalDatabase, ownedMigrations } from './database.ts'
import { build, grpc, grpcRules } from './grpc.ts'
import { leaderElectionRules } from './leader-election.ts'
import { oidc, oidcRules } from './oidc.ts'
import { reconcilers } from './reconcilers.ts'
import { shared } from './shared.ts'

/** Settings of the control plane, which runs the reconcilers too if there is no controllers process. */
export const controlPlane = {
  ...shared,
  migrations: ownedMigrations,
  database: optionalDatabase,
  grpc,
  api,
  oidc,
  build,
  cache: {
    enabled: flag('JANGAR_CONTROL_PLANE_CACHE_ENABLED', {
      doc: 'Reserved, not used yet. Whether lists of resources are served from a cache in the database.',
      fallback: false,
    }),
    namespaces: list('JANGAR_CONTROL_PLANE_CACHE_NAMESPACES', {
      doc: 'Reserved, not used yet. Namespaces of that cache.',
      optional: true,
    }),
    cluster: text('JANGAR_CONTROL_PLANE_CACHE_CLUSTER', {
      doc: 'Reserved, not used yet. Name of this cluster in that cache.',
      fallback: 'default',
    }),
  },
  archiveRetention,
  artifactLimits,
  ...reconcilers,
}

export type ControlPlaneConfig = ConfigOf<typeof controlPlane>

export const controlPlaneRules: readonly ConfigRule<ControlPlaneConfig>[] = [
  ...leaderElectionRules,
  ...clusterScopeRules,
  ...grpcRules,
  ...apiRules,
  ...oidcRules,
  ...artifactRules,
]

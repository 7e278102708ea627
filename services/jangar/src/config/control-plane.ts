import { type ConfigOf, type ConfigRule, flag, list, text } from '@agents/config'
import { webhooks } from './agents-controller.ts'
import { clusterScopeRules } from './cluster-scope.ts'
import { optionalDatabase, ownedMigrations } from './database.ts'
import { build, grpc, grpcRules } from './grpc.ts'
import { leaderElectionRules } from './leader-election.ts'
import { reconcilers } from './reconcilers.ts'
import { shared } from './shared.ts'

/** The settings of the control plane. Without a controllers process it runs the reconcilers too. */
export const controlPlane = {
  ...shared,
  migrations: ownedMigrations,
  database: optionalDatabase,
  grpc,
  build,
  cache: {
    enabled: flag('JANGAR_CONTROL_PLANE_CACHE_ENABLED', {
      doc: 'Whether lists of resources are answered from a copy in the database.',
      fallback: false,
    }),
    namespaces: list('JANGAR_CONTROL_PLANE_CACHE_NAMESPACES', {
      doc: 'The namespaces that the copy holds. Not set: those that are reconciled.',
      optional: true,
    }),
    cluster: text('JANGAR_CONTROL_PLANE_CACHE_CLUSTER', {
      doc: 'The name under which this cluster stands in the copy.',
      fallback: 'default',
    }),
  },
  allowedGithubRepositories: list('JANGAR_GITHUB_REPOS_ALLOWED', {
    doc: 'The GitHub repositories, as owner/name, that requests may name. Not set: this list forbids none.',
    chart: 'env.vars.JANGAR_GITHUB_REPOS_ALLOWED',
    optional: true,
    checkEach: (name) => (/^[\w.-]+\/[\w.*-]+$/.test(name) ? undefined : 'write it as owner/name'),
  }),
  webhooks,
  ...reconcilers,
}

export type ControlPlaneConfig = ConfigOf<typeof controlPlane>

export const controlPlaneRules: readonly ConfigRule<ControlPlaneConfig>[] = [
  ...leaderElectionRules,
  ...clusterScopeRules,
  ...grpcRules,
]

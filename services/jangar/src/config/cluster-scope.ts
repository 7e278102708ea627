import type { ConfigOf, ConfigRule } from '@agents/config'
import type { reconcilers } from './reconcilers.ts'
import type { shared } from './shared.ts'

type Reconciles = ConfigOf<typeof reconcilers> & ConfigOf<typeof shared>

const watchers = {
  agents: 'JANGAR_AGENTS_CONTROLLER_NAMESPACES',
  orchestration: 'JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES',
  supporting: 'JANGAR_SUPPORTING_CONTROLLER_NAMESPACES',
  archive: 'JANGAR_PRIMITIVES_NAMESPACES',
} as const

/** With Roles only, listing across namespaces is forbidden, and the process would wait for its caches permanently. */
export const clusterScopeRules: readonly ConfigRule<Reconciles>[] = Object.entries(watchers).map(
  ([watcher, env]): ConfigRule<Reconciles> => ({
    about: [env, 'JANGAR_RBAC_CLUSTER_SCOPED'],
    expected: 'a list of namespaces, since JANGAR_RBAC_CLUSTER_SCOPED is not true',
    fix: 'List the namespaces, or set rbac.clusterScoped=true.',
    holds: ({ clusterScoped, ...config }) => {
      const { enabled, namespaces } = config[watcher as keyof typeof watchers]
      return clusterScoped || !enabled || !namespaces.includes('*')
    },
  }),
)

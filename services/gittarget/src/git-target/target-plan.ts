import type { ClusterWatchRule, GitTarget, WatchRule } from '@agents/gittarget-api'
import type { KubeObject, ServedResource } from '@agents/kube'
import type { Caches } from '../kubernetes/caches.ts'
import type { StreamReport } from '../mirror/mirror-state.ts'
import {
  clusterWatchRuleId,
  type NamespaceLabels,
  type Selected,
  type Selection,
  selectByClusterWatchRule,
  selectByWatchRule,
  watchRuleId,
} from '../mirror/selection.ts'

export type RuleCaches = Pick<
  Caches,
  'watchRules' | 'clusterWatchRules' | 'namespaces' | 'gitTargets'
>

export interface TargetPlan {
  readonly selections: readonly Selection[]
  /** The resources that the rules name and the server does not serve. */
  readonly missing: readonly StreamReport[]
  /** Another one when something else is to be mirrored. */
  readonly revision: string
}

/** What all rules of a target ask for together. */
export const targetPlan = (
  target: GitTarget,
  caches: RuleCaches,
  served: readonly ServedResource[],
): TargetPlan => {
  const encrypts = target.spec.encryption !== undefined
  const options = { served, encrypts, isKey: keysOfTargets(caches) }
  const rules = rulesOf(target, caches)
  const own = rules.watchRules.map((rule) => ({
    rule,
    id: watchRuleId(rule.metadata.namespace ?? '', rule.metadata.name),
    ...selectByWatchRule(rule, options),
  }))
  const cluster = rules.clusterWatchRules.map((rule) => ({
    rule,
    id: clusterWatchRuleId(rule.metadata.name),
    ...selectByClusterWatchRule(rule, options, namespaceLabels(caches)),
  }))
  const all: readonly PlannedRule[] = [...own, ...cluster]
  const selections = all.flatMap((each) => each.selections)
  const names = caches.namespaces.list().map(({ metadata }) => metadata.name)
  return {
    selections,
    missing: all.flatMap(({ id, problems }) =>
      problems
        .filter(({ reason }) => reason === 'ResourceNotServed')
        .map(({ resource, message }) => ({
          resource,
          rules: [id],
          state: { kind: 'missing', message },
        })),
    ),
    revision: JSON.stringify([
      all.map(({ rule: { metadata } }) => [metadata.uid, metadata.generation]),
      selections.map(({ type, namespace }) => [type, namespace]),
      cluster.map(({ selections: each }) =>
        each.map(({ covers }) => names.filter(covers).toSorted()),
      ),
    ]),
  }
}

/**
 * Keys of mirrors are never mirrored. Encrypted with itself, one helps nobody who has lost it; and whoever may read the folder today
 * would take a key along that still opens it when he no longer may.
 */
const keysOfTargets =
  ({ gitTargets }: Pick<Caches, 'gitTargets'>) =>
  ({ namespace, name }: KubeObject['metadata']): boolean =>
    gitTargets.list(namespace).some(({ spec: { encryption } }) => {
      return encryption?.secretRef?.name === name || encryption?.fingerprintRef?.name === name
    })

interface PlannedRule extends Selected {
  readonly rule: WatchRule | ClusterWatchRule
  readonly id: string
}

/** Those that refer to the target and that it accepts. */
export const rulesOf = (
  { metadata, spec }: GitTarget,
  { watchRules, clusterWatchRules }: RuleCaches,
): { watchRules: WatchRule[]; clusterWatchRules: ClusterWatchRule[] } => {
  const { namespace, name } = metadata
  const isLive = (rule: WatchRule | ClusterWatchRule): boolean =>
    rule.metadata.deletionTimestamp === undefined
  return {
    watchRules: watchRules
      .list(namespace)
      .filter((rule) => rule.spec.targetRef.name === name && isLive(rule))
      .sort(byName),
    clusterWatchRules: spec.allowClusterRules
      ? clusterWatchRules
          .list()
          .filter(({ spec: { targetRef } }) => targetRef.name === name)
          .filter(({ spec: { targetRef } }) => targetRef.namespace === namespace)
          .filter(isLive)
          .sort(byName)
      : [],
  }
}

export const namespaceLabels =
  ({ namespaces }: Pick<Caches, 'namespaces'>): NamespaceLabels =>
  (name) => {
    const found = namespaces.get(name)
    return found && (found.metadata.labels ?? {})
  }

const byName = (a: WatchRule | ClusterWatchRule, b: WatchRule | ClusterWatchRule): number =>
  a.metadata.name < b.metadata.name ? -1 : 1

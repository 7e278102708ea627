import { type GateOf, pass, stall } from '@agents/controller'
import type { ClusterWatchRule, clusterWatchRuleConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { Caches } from '../../kubernetes/caches.ts'
import { targetNotFound } from '../../watch-rule/gates/target-resolved.ts'
import type { RuleDetail } from '../../watch-rule/resolved-rule.ts'

export function targetResolved({
  gitTargets,
}: Pick<Caches, 'gitTargets'>): GateOf<
  typeof clusterWatchRuleConditions,
  'TargetResolved',
  ClusterWatchRule,
  RuleDetail
> {
  return {
    condition: 'TargetResolved',
    check: ({ spec: { targetRef } }) => {
      const key = formatKey(targetRef)
      const target = gitTargets.get(key)
      if (target === undefined) return targetNotFound(key)
      if (target.spec.allowClusterRules) return pass('OK', `GitTarget ${key} accepts the rule`)
      const message = `GitTarget ${key} does not accept ClusterWatchRules; its owner must set spec.allowClusterRules`
      return stall('ClusterRulesNotAllowed', message)
    },
  }
}

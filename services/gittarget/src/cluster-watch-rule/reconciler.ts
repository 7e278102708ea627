import { type LivingReconciler, livingReconciler, pass, stall } from '@agents/controller'
import { type ClusterWatchRule, clusterWatchRuleConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { LivingConditions } from '@agents/status'
import { namespaceLabels } from '../git-target/target-plan.ts'
import { clusterWatchRuleId, selectByClusterWatchRule } from '../mirror/selection.ts'
import type { RulePorts } from '../watch-rule/reconciler.ts'
import {
  mirrorOf,
  type RuleDetail,
  type RuleFindings,
  resourcesVerdict,
  streamsDetail,
  streamsVerdict,
  targetNotFound,
} from '../watch-rule/rule-gates.ts'

export const clusterWatchRuleReconciler = (ports: RulePorts): LivingReconciler<ClusterWatchRule> =>
  livingReconciler<ClusterWatchRule, RuleDetail, ClusterWatchRuleReasons>({
    kind: 'ClusterWatchRule',
    conditions: clusterWatchRuleConditions,
    gates: [
      {
        condition: 'TargetResolved',
        check: ({ spec: { targetRef } }) => {
          const target = ports.caches.gitTargets.get(formatKey(targetRef))
          if (target === undefined) return targetNotFound(targetRef)
          if (target.spec.allowClusterRules) return pass('OK', 'the GitTarget accepts the rule')
          return stall(
            'ClusterRulesNotAllowed',
            `${formatKey(targetRef)} does not allow it: its owner has to set spec.allowClusterRules`,
          )
        },
      },
      {
        condition: 'ResourcesResolved',
        check: (rule) => resourcesVerdict(findingsOf(rule, ports)),
      },
      {
        condition: 'StreamsLive',
        async check(rule, _detail, { signal }) {
          await mirrorOf(rule, formatKey(rule.spec.targetRef), ports.mirrors, signal)
          return streamsVerdict(findingsOf(rule, ports))
        },
        unasked: (rule) => streamsDetail(findingsOf(rule, ports)),
      },
    ],
  })

type ClusterWatchRuleReasons =
  typeof clusterWatchRuleConditions extends LivingConditions<infer R> ? R : never

const findingsOf = (
  rule: ClusterWatchRule,
  { caches, mirrors, catalog }: RulePorts,
): RuleFindings => {
  const { served } = catalog
  if (served === undefined) throw new Error('the server has not said yet what it serves')
  const key = formatKey(rule.spec.targetRef)
  const target = caches.gitTargets.get(key)
  const encrypts = target?.spec.encryption !== undefined
  const selected = selectByClusterWatchRule(rule, { served, encrypts }, namespaceLabels(caches))
  return {
    id: clusterWatchRuleId(rule.metadata.name),
    target,
    selected,
    mirror: mirrors.state(key),
  }
}

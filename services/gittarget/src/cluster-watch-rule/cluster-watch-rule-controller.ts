import { livingReconciler } from '@agents/controller'
import { type ClusterWatchRule, clusterWatchRuleConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { LivingConditions } from '@agents/status'
import { namespaceLabels, versionOf } from '../git-target/target-plan.ts'
import type { LivingController } from '../kubernetes/living-controller.ts'
import { clusterWatchRuleId, selectByClusterWatchRule } from '../mirror/selection/selection.ts'
import { resourcesResolved } from '../watch-rule/gates/resources-resolved.ts'
import { streamsLive } from '../watch-rule/gates/streams-live.ts'
import {
  type ResolvedRule,
  type RuleDetail,
  type RulePorts,
  servedBy,
} from '../watch-rule/resolved-rule.ts'
import { targetResolved } from './gates/target-resolved.ts'
import { clusterWatchRuleSources } from './sources.ts'

type Reasons = typeof clusterWatchRuleConditions extends LivingConditions<infer R> ? R : never

export function clusterWatchRuleController(ports: RulePorts): LivingController<ClusterWatchRule> {
  const { caches, mirrors } = ports
  const resolve = (rule: ClusterWatchRule) => resolveClusterWatchRule(rule, ports)
  const targetKeyOf = ({ spec }: ClusterWatchRule) => formatKey(spec.targetRef)
  return {
    primary: caches.clusterWatchRules,
    reconciler: livingReconciler<ClusterWatchRule, RuleDetail, Reasons>({
      kind: 'ClusterWatchRule',
      conditions: clusterWatchRuleConditions,
      gates: [
        targetResolved(caches),
        resourcesResolved(resolve),
        streamsLive({ mirrors, resolve, targetKeyOf }),
      ],
    }),
    sources: clusterWatchRuleSources(ports),
    workers: 8,
  }
}

function resolveClusterWatchRule(rule: ClusterWatchRule, ports: RulePorts): ResolvedRule {
  const { caches, mirrors } = ports
  const key = formatKey(rule.spec.targetRef)
  const encrypts = caches.gitTargets.get(key)?.spec.encryption !== undefined
  const options = { served: servedBy(ports), encrypts }
  return {
    id: clusterWatchRuleId(rule.metadata.name),
    version: versionOf(rule.metadata),
    selected: selectByClusterWatchRule(rule, options, namespaceLabels(caches)),
    mirror: mirrors.state(key),
  }
}

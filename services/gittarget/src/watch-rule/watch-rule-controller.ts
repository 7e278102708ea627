import { livingReconciler } from '@agents/controller'
import { type WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import type { LivingConditions } from '@agents/status'
import type { LivingController } from '../kubernetes/living-controller.ts'
import { resourcesResolved } from './gates/resources-resolved.ts'
import { streamsLive } from './gates/streams-live.ts'
import { targetResolved } from './gates/target-resolved.ts'
import { type RuleDetail, type RulePorts, resolveWatchRule, targetKeyOf } from './resolved-rule.ts'
import { watchRuleSources } from './sources.ts'

type Reasons = typeof watchRuleConditions extends LivingConditions<infer R> ? R : never

export function watchRuleController(ports: RulePorts): LivingController<WatchRule> {
  const { caches, mirrors } = ports
  const resolve = (rule: WatchRule) => resolveWatchRule(rule, ports)
  return {
    primary: caches.watchRules,
    reconciler: livingReconciler<WatchRule, RuleDetail, Reasons>({
      kind: 'WatchRule',
      conditions: watchRuleConditions,
      gates: [
        targetResolved(caches),
        resourcesResolved(resolve),
        streamsLive({ mirrors, resolve, targetKeyOf }),
      ],
    }),
    sources: watchRuleSources(ports),
    workers: 8,
  }
}

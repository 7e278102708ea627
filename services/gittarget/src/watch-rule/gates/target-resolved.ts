import { type GateOf, pass, wait } from '@agents/controller'
import type { WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import type { Caches } from '../../kubernetes/caches.ts'
import { type RuleDetail, targetKeyOf } from '../resolved-rule.ts'
import { retryMs } from './retry.ts'

export function targetResolved({
  gitTargets,
}: Pick<Caches, 'gitTargets'>): GateOf<
  typeof watchRuleConditions,
  'TargetResolved',
  WatchRule,
  RuleDetail
> {
  return {
    condition: 'TargetResolved',
    check: (rule) => {
      const key = targetKeyOf(rule)
      if (gitTargets.get(key) === undefined) return targetNotFound(key)
      return pass('OK', `GitTarget ${rule.spec.targetRef.name} exists`)
    },
  }
}

export function targetNotFound(key: string) {
  return wait('TargetNotFound', `GitTarget ${key} does not exist; create it`, retryMs)
}

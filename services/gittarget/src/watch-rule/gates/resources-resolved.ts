import { type GateOf, pass, stall, wait } from '@agents/controller'
import type { ClusterWatchRule, WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import type { ResolvedRule, RuleDetail } from '../resolved-rule.ts'
import { retryMs } from './retry.ts'

export function resourcesResolved<Rule extends WatchRule | ClusterWatchRule>(
  resolve: (rule: Rule) => ResolvedRule,
): GateOf<typeof watchRuleConditions, 'ResourcesResolved', Rule, RuleDetail> {
  return {
    condition: 'ResourcesResolved',
    check: (rule) => {
      const { selections, problems } = resolve(rule).selected
      const [first] = problems
      if (first === undefined) {
        const { size } = new Set(selections.map(({ type }) => type))
        return pass('OK', size === 1 ? '1 resource was found' : `${size} resources were found`)
      }
      const message = problems.map((problem) => problem.message).join('; ')
      return problems.every(({ reason }) => reason === 'ResourceNotServed')
        ? wait(first.reason, message, retryMs)
        : stall(first.reason, message)
    },
  }
}

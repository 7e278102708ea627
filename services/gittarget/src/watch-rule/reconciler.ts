import { type LivingReconciler, livingReconciler, pass } from '@agents/controller'
import { type WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { LivingConditions } from '@agents/status'
import type { Caches } from '../kubernetes/caches.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { ResourceCatalog } from '../mirror/resource-catalog.ts'
import { selectByWatchRule, watchRuleId } from '../mirror/selection.ts'
import {
  mirrorOf,
  type RuleDetail,
  type RuleFindings,
  resourcesVerdict,
  streamsDetail,
  streamsVerdict,
  targetNotFound,
} from './rule-gates.ts'

export interface RulePorts {
  readonly caches: Caches
  readonly mirrors: Mirrors
  readonly catalog: ResourceCatalog
}

export const watchRuleReconciler = (ports: RulePorts): LivingReconciler<WatchRule> =>
  livingReconciler<WatchRule, RuleDetail, WatchRuleReasons>({
    kind: 'WatchRule',
    conditions: watchRuleConditions,
    gates: [
      {
        condition: 'TargetResolved',
        check: (rule) => {
          const key = targetKeyOf(rule)
          const target = ports.caches.gitTargets.get(formatKey(key))
          if (target === undefined) return targetNotFound(key)
          return pass('OK', `the GitTarget ${key.name} exists`)
        },
      },
      {
        condition: 'ResourcesResolved',
        check: (rule) => resourcesVerdict(findingsOf(rule, ports)),
      },
      {
        condition: 'StreamsLive',
        async check(rule, _detail, { signal }) {
          await mirrorOf(rule, formatKey(targetKeyOf(rule)), ports.mirrors, signal)
          return streamsVerdict(findingsOf(rule, ports))
        },
        unasked: (rule) => streamsDetail(findingsOf(rule, ports)),
      },
    ],
  })

type WatchRuleReasons = typeof watchRuleConditions extends LivingConditions<infer R> ? R : never

export const targetKeyOf = ({ metadata, spec }: WatchRule) => ({
  namespace: metadata.namespace,
  name: spec.targetRef.name,
})

const findingsOf = (rule: WatchRule, { caches, mirrors, catalog }: RulePorts): RuleFindings => {
  const { served } = catalog
  if (served === undefined) throw new Error('the server has not said yet what it serves')
  const key = formatKey(targetKeyOf(rule))
  const target = caches.gitTargets.get(key)
  const encrypts = target?.spec.encryption !== undefined
  return {
    id: watchRuleId(rule.metadata.namespace ?? '', rule.metadata.name),
    target,
    selected: selectByWatchRule(rule, { served, encrypts }),
    mirror: mirrors.state(key),
  }
}

import type { LivingConditions } from '@agents/status'
import { clusterWatchRuleConditions } from './cluster-watch-rule/conditions.ts'
import { gitProviderConditions } from './git-provider/conditions.ts'
import { gitTargetConditions } from './git-target/conditions.ts'
import { watchRuleConditions } from './watch-rule/conditions.ts'

/** The conditions of each kind, by kind. */
export const conditionsByKind: Readonly<Record<string, LivingConditions>> = {
  GitProvider: gitProviderConditions,
  GitTarget: gitTargetConditions,
  WatchRule: watchRuleConditions,
  ClusterWatchRule: clusterWatchRuleConditions,
}

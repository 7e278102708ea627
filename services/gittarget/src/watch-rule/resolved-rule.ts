import type { WatchRule } from '@agents/gittarget-api'
import { formatKey, type ServedResource } from '@agents/kube'
import { versionOf } from '../git-target/target-plan.ts'
import type { Caches } from '../kubernetes/caches.ts'
import type { MirrorState } from '../mirror/mirror-state.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { RuleVersion } from '../mirror/rule-versions.ts'
import type { ResourceCatalog } from '../mirror/selection/resource-catalog.ts'
import { type Selected, selectByWatchRule, watchRuleId } from '../mirror/selection/selection.ts'

export interface RulePorts {
  readonly caches: Caches
  readonly mirrors: Mirrors
  readonly catalog: ResourceCatalog
}

export interface RuleDetail {
  readonly streams: NonNullable<WatchRule['status']>['streams']
}

/** A WatchRule or ClusterWatchRule with the resources that it selects and the state of its target's mirror. */
export interface ResolvedRule {
  readonly id: string
  readonly version: RuleVersion
  readonly selected: Selected
  readonly mirror: MirrorState | undefined
}

export function resolveWatchRule(rule: WatchRule, ports: RulePorts): ResolvedRule {
  const key = targetKeyOf(rule)
  const encrypts = ports.caches.gitTargets.get(key)?.spec.encryption !== undefined
  return {
    id: watchRuleId(rule.metadata.namespace ?? '', rule.metadata.name),
    version: versionOf(rule.metadata),
    selected: selectByWatchRule(rule, { served: servedBy(ports), encrypts }),
    mirror: ports.mirrors.state(key),
  }
}

/** `namespace/name` of the GitTarget that the rule refers to. */
export function targetKeyOf({ metadata, spec }: WatchRule): string {
  return formatKey({ namespace: metadata.namespace, name: spec.targetRef.name })
}

export function servedBy({ catalog }: Pick<RulePorts, 'catalog'>): readonly ServedResource[] {
  if (catalog.served === undefined) throw new Error('API discovery has not completed yet')
  return catalog.served
}

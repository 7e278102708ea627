import type { ClusterWatchRule, GitTarget, WatchRule } from '@agents/gittarget-api'
import type { KubeObject, ServedResource } from '@agents/kube'
import {
  type PathTemplate,
  parsePathTemplate,
  pathTemplateProblem,
} from '../document/path-template.ts'
import type { Caches } from '../kubernetes/caches.ts'
import type { RuleVersion, RuleVersions } from '../mirror/rule-versions.ts'
import { ignoredOf } from '../mirror/selection/ignored.ts'
import { typeName } from '../mirror/selection/resource-type.ts'
import {
  clusterWatchRuleId,
  type NamespaceLabels,
  type Selected,
  type Selection,
  selectByClusterWatchRule,
  selectByWatchRule,
  watchRuleId,
} from '../mirror/selection/selection.ts'
import type { StreamReport } from '../mirror/stream/watched-streams.ts'

/** What of the caches decides which objects a target mirrors. */
type RuleCaches = {
  readonly [Name in 'watchRules' | 'clusterWatchRules' | 'namespaces' | 'gitTargets']: Pick<
    Caches[Name],
    'get' | 'list'
  >
} & {
  /** If omitted, no namespace was deleted. */
  readonly deletedNamespaces?: Pick<Caches['deletedNamespaces'], 'labelsOf'>
}

interface TargetPlan {
  readonly selections: readonly Selection[]
  readonly rules: RuleVersions
  /** Resources that the rules select and the server does not serve. */
  readonly missing: readonly StreamReport[]
  /** Changes with the set of mirrored objects. */
  readonly revision: string
}

/** The combined selections of all rules of a target. */
export function targetPlan(
  target: GitTarget,
  caches: RuleCaches,
  served: readonly ServedResource[],
): TargetPlan {
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
  const ignored = ignoredOf(target.spec.ignore)
  const template = pathTemplateOf(target)
  const selections = all
    .flatMap((each) => each.selections)
    .map((selection) => ({ ...selection, template, ignored: ignored(selection.type) }))
  const names = caches.namespaces.list().map(({ metadata }) => metadata.name)
  return {
    selections,
    rules: new Map(all.map(({ id, rule: { metadata } }) => [id, versionOf(metadata)])),
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
      target.spec.ignore,
      all.map(({ rule: { metadata } }) => [metadata.uid, metadata.generation]),
      selections.map(({ type, namespace }) => [type, namespace]),
      cluster.map(({ selections: each }) => coveredBy(each, names)),
    ]),
  }
}

/** The types of the same terms cover the same namespaces, which are looked for once. */
function coveredBy(selections: readonly Selection[], names: readonly string[]): string[][] {
  const known = new Set(selections.map(({ covers }) => covers))
  return [...known].map((covers) => names.filter(covers).toSorted())
}

export function versionOf({ uid, generation }: KubeObject['metadata']): RuleVersion {
  return { uid, generation }
}

export function pathTemplateOf({ spec }: GitTarget): PathTemplate | undefined {
  return spec.pathTemplate === undefined ? undefined : parsePathTemplate(spec.pathTemplate)
}

/** Why two mirrored objects could get the same path; undefined if they cannot. */
export function layoutProblem(
  target: GitTarget,
  caches: RuleCaches,
  served: readonly ServedResource[],
): string | undefined {
  const { pathTemplate } = target.spec
  const template = pathTemplateOf(target)
  if (pathTemplate === undefined || template === undefined) return undefined
  const problem = pathTemplateProblem(pathTemplate)
  if (problem !== undefined) return `pathTemplate is invalid: ${problem}`
  const types = new Map(
    targetPlan(target, caches, served).selections.map(({ type }) => [typeName(type), type]),
  )
  const same = [...Map.groupBy(types.values(), (type) => template.typeKey(type)).values()]
  const [first, second] = same.find(({ length }) => length > 1) ?? []
  if (first === undefined || second === undefined) return undefined
  return `pathTemplate is invalid for the rules of this target: objects of ${typeName(first)} and ${typeName(second)} with the same name would get the same path; create another GitTarget whose pathTemplate contains {{ group }} and {{ resource }}`
}

/**
 * Keys of mirrors are never mirrored. Encrypted with itself, a key is useless to those who have lost it, and those
 * who may read the folder today would keep a key that still works after their access is revoked.
 */
function keysOfTargets({ gitTargets }: Pick<RuleCaches, 'gitTargets'>) {
  return ({ namespace, name }: KubeObject['metadata']): boolean =>
    gitTargets.list(namespace).some(({ spec: { encryption } }) => {
      return encryption?.secretRef?.name === name || encryption?.fingerprintRef?.name === name
    })
}

interface PlannedRule extends Selected {
  readonly rule: WatchRule | ClusterWatchRule
  readonly id: string
}

/** The rules that refer to the target and that it accepts. */
function rulesOf(
  { metadata, spec }: GitTarget,
  { watchRules, clusterWatchRules }: RuleCaches,
): { watchRules: WatchRule[]; clusterWatchRules: ClusterWatchRule[] } {
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

/** A deleted namespace keeps its labels, so that the deletions of its objects are recognized in any order. */
export function namespaceLabels({
  namespaces,
  deletedNamespaces,
}: Pick<RuleCaches, 'namespaces' | 'deletedNamespaces'>): NamespaceLabels {
  return (name) => {
    const found = namespaces.get(name)
    return found ? (found.metadata.labels ?? {}) : deletedNamespaces?.labelsOf(name)
  }
}

function byName(a: WatchRule | ClusterWatchRule, b: WatchRule | ClusterWatchRule): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}

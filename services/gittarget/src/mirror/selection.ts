import type { ClusterWatchRule, WatchRule } from '@agents/gittarget-api'
import { type KubeObject, type Labels, matchesLabels, requirementsOf } from '@agents/kube'
import { globMatcher } from '../git-provider/glob-matcher.ts'
import { isClusterMade } from './cluster-made.ts'
import {
  type ResolvedResources,
  type ResolveOptions,
  type ResourceProblem,
  type RuleTerms,
  resolveResources,
} from './resolve-resources.ts'
import { isSecret, type ResourceType } from './resource-type.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** What one rule takes from one stream. */
export interface Selection {
  /** Key of the WatchRule or ClusterWatchRule that asks for it. */
  readonly rule: string
  readonly type: ResourceType
  /** The stream's namespace; undefined: all of them, or none for types of the cluster. */
  readonly namespace: string | undefined
  readonly operations: ReadonlySet<Operation>
  /** Whether the rule looks after a namespace at all, which is what makes the absence of an object there mean something. */
  covers(namespace: string): boolean
  chooses(object: KubeObject): boolean
}

export interface Selected {
  readonly selections: readonly Selection[]
  readonly problems: readonly ResourceProblem[]
}

/** Labels of a namespace; undefined when there is no such namespace. */
export type NamespaceLabels = (namespace: string) => Labels | undefined

export interface SelectOptions extends ResolveOptions {
  /** Whether a Secret holds the key of a mirror, and is no mirror's business; without it none does. */
  readonly isKey?: (secret: KubeObject['metadata']) => boolean
}

export const selectByWatchRule = (rule: WatchRule, options: SelectOptions): Selected => {
  const { namespace = '', name } = rule.metadata
  return select(
    watchRuleId(namespace, name),
    rule.spec.rules.map((terms) => ({ ...terms, scope: 'Namespaced' })),
    options,
    () => ({ namespace, covers: (other) => other === namespace }),
  )
}

export const selectByClusterWatchRule = (
  rule: ClusterWatchRule,
  options: SelectOptions,
  labelsOf: NamespaceLabels,
): Selected =>
  select(clusterWatchRuleId(rule.metadata.name), rule.spec.rules, options, (terms) => {
    const { scope, namespaceSelector } = terms
    if (scope === 'Cluster') return { namespace: undefined, covers: (other) => other === '' }
    if (namespaceSelector === undefined) {
      return { namespace: undefined, covers: (other) => other !== '' }
    }
    const wanted = requirementsOf(namespaceSelector)
    const covers = (other: string): boolean => {
      const labels = labelsOf(other)
      return labels !== undefined && matchesLabels(wanted, labels)
    }
    return { namespace: undefined, covers }
  })

export const watchRuleId = (namespace: string, name: string): string => `${namespace}/${name}`

/** Cannot be that of a WatchRule: no namespace is empty. */
export const clusterWatchRuleId = (name: string): string => `/${name}`

const select = (
  rule: string,
  rules: readonly RuleTerms[],
  options: SelectOptions,
  placeOf: (terms: RuleTerms) => Pick<Selection, 'namespace' | 'covers'>,
): Selected => {
  const resolved = rules.map((terms) => ({ terms, ...resolveResources(terms, options) }))
  return {
    selections: resolved.flatMap(({ terms, types }) =>
      types.map((type) => ({
        rule,
        type,
        ...placeOf(terms),
        ...choiceOf(terms, type, { ...options, ...placeOf(terms) }),
      })),
    ),
    problems: resolved.flatMap(({ problems }: ResolvedResources) => problems),
  }
}

const choiceOf = (
  { operations, objectSelector, ownedObjects, excludeNames = [], resources }: RuleTerms,
  type: ResourceType,
  { covers, isKey = () => false }: Pick<Selection, 'covers'> & Pick<SelectOptions, 'isKey'>,
): Pick<Selection, 'operations' | 'chooses'> => {
  const wanted = objectSelector === undefined ? [] : requirementsOf(objectSelector)
  const isNamed = resources.includes(type.resource)
  const takesMade = ownedObjects === undefined ? isNamed : ownedObjects === 'Include'
  const excluded = excludeNames.map(globMatcher)
  const named = operations.filter((operation) => operation !== '*')
  return {
    operations: new Set(operations.includes('*') ? ['CREATE', 'UPDATE', 'DELETE'] : named),
    chooses: (object) => {
      const { metadata } = object
      return (
        covers(metadata.namespace ?? '') &&
        (takesMade || !isClusterMade(object)) &&
        !(isSecret(type) && isKey(metadata)) &&
        matchesLabels(wanted, metadata.labels) &&
        !excluded.some((isExcluded) => isExcluded(metadata.name))
      )
    },
  }
}

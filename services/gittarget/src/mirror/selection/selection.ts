import { type ClusterWatchRule, gitTarget, type WatchRule } from '@agents/gittarget-api'
import { type KubeObject, type Labels, matchesLabels, requirementsOf } from '@agents/kube'
import { globMatcher } from '@agents/patterns'
import type { PathTemplate } from '../../document/path-template.ts'
import { isClusterManaged } from './cluster-managed.ts'
import type { Ignored } from './ignored.ts'
import {
  type ResolveOptions,
  type ResourceProblem,
  type RuleTerms,
  resolveResources,
} from './resolve-resources.ts'
import { isSecret, type ResourceType } from './resource-type.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** The objects that one rule selects from one stream. */
export interface Selection {
  /** ID of the WatchRule or ClusterWatchRule. */
  readonly rule: string
  readonly type: ResourceType
  /** Namespace of the stream; undefined for all namespaces, or for cluster-scoped types. */
  readonly namespace: string | undefined
  readonly operations: ReadonlySet<Operation>
  /** Whether the rule applies to a namespace. Only then does the absence of an object mean that it was deleted. */
  covers(namespace: string): boolean
  selects(object: KubeObject): boolean
  /** Whether files contain the status. */
  readonly includesStatus: boolean
  /** Layout of the target's folder. If omitted, the default one. */
  readonly template?: PathTemplate | undefined
  /** What the target ignores in objects of this type. If omitted, nothing. */
  readonly ignored?: Ignored | undefined
}

export interface Selected {
  readonly selections: readonly Selection[]
  readonly problems: readonly ResourceProblem[]
}

/** Labels of a namespace, or those that it had when it was deleted; undefined if it is not known. */
export type NamespaceLabels = (namespace: string) => Labels | undefined

interface SelectOptions extends ResolveOptions {
  /** Whether a Secret contains a key of a mirror and is never mirrored. If omitted, none does. */
  readonly isKey?: (secret: KubeObject['metadata']) => boolean
}

export function selectByWatchRule(rule: WatchRule, options: SelectOptions): Selected {
  const { namespace = '', name } = rule.metadata
  return select(
    watchRuleId(namespace, name),
    rule.spec.rules.map((terms) => ({ ...terms, scope: 'Namespaced' })),
    options,
    () => ({ namespace, covers: (other) => other === namespace }),
  )
}

export function selectByClusterWatchRule(
  rule: ClusterWatchRule,
  options: SelectOptions,
  labelsOf: NamespaceLabels,
): Selected {
  return select(clusterWatchRuleId(rule.metadata.name), rule.spec.rules, options, (terms) => {
    const { scope, namespaceSelector } = terms
    if (scope === 'Cluster') return { namespace: undefined, covers: (other) => other === '' }
    const isExcluded = anyOf(terms.excludeNamespaces)
    const isCandidate = (other: string): boolean => other !== '' && !isExcluded(other)
    if (namespaceSelector === undefined) return { namespace: undefined, covers: isCandidate }
    const wanted = requirementsOf(namespaceSelector)
    const covers = (other: string): boolean => {
      const labels = labelsOf(other)
      return isCandidate(other) && labels !== undefined && matchesLabels(wanted, labels)
    }
    return { namespace: undefined, covers }
  })
}

export function watchRuleId(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

/** Differs from the ID of any WatchRule, because no namespace is empty. */
export function clusterWatchRuleId(name: string): string {
  return `/${name}`
}

function select(
  rule: string,
  rules: readonly RuleTerms[],
  options: SelectOptions,
  scopeOf: (terms: RuleTerms) => Pick<Selection, 'namespace' | 'covers'>,
): Selected {
  const selected = rules.map((terms) => selectTerms(rule, terms, options, scopeOf))
  return {
    selections: selected.flatMap(({ selections }) => selections),
    problems: selected.flatMap(({ problems }) => problems),
  }
}

function selectTerms(
  rule: string,
  terms: RuleTerms,
  options: SelectOptions,
  scopeOf: (terms: RuleTerms) => Pick<Selection, 'namespace' | 'covers'>,
): Selected {
  try {
    const scope = scopeOf(terms)
    const isExcluded = anyOf(terms.excludeNames)
    const { types, problems } = resolveResources(terms, options)
    const filter = { ...options, ...scope, isExcluded }
    return {
      selections: types.map((type) => ({ rule, type, ...scope, ...filterOf(terms, type, filter) })),
      problems,
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Nothing is selected, since it could be what the author excludes. Other terms and rules are not affected.
    const [resource = '*'] = terms.resources
    const message = `excludeNames or excludeNamespaces has an ${error.message}; correct it`
    return { selections: [], problems: [{ resource, reason: 'PatternInvalid', message }] }
  }
}

function anyOf(patterns: readonly string[] = []): (name: string) => boolean {
  const matchers = patterns.map((pattern) => globMatcher(pattern))
  return (name) => matchers.some((matches) => matches(name))
}

function filterOf(
  { operations, objectSelector, ownedObjects, resources, status }: RuleTerms,
  type: ResourceType,
  {
    covers,
    isExcluded,
    isKey = () => false,
  }: Pick<Selection, 'covers'> &
    Pick<SelectOptions, 'isKey'> & { readonly isExcluded: (name: string) => boolean },
): Pick<Selection, 'operations' | 'includesStatus' | 'selects'> {
  const wanted = objectSelector === undefined ? [] : requirementsOf(objectSelector)
  const isNamed = resources.includes(type.resource)
  const includesManaged = ownedObjects === undefined ? isNamed : ownedObjects === 'Include'
  const named = operations.filter((operation) => operation !== '*')
  return {
    operations: new Set(operations.includes('*') ? ['CREATE', 'UPDATE', 'DELETE'] : named),
    // A commit changes the status of the target and its rules, which would lead to the next commit.
    includesStatus: status === 'Include' && type.group !== gitTarget.group,
    selects: (object) => {
      const { metadata } = object
      return (
        covers(metadata.namespace ?? '') &&
        (includesManaged || !isClusterManaged(object)) &&
        !(isSecret(type) && isKey(metadata)) &&
        matchesLabels(wanted, metadata.labels) &&
        !isExcluded(metadata.name)
      )
    },
  }
}

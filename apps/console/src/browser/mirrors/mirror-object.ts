import type { ApiObject } from '@agents/client'
import type { Condition } from '../parts/run-object.ts'

export const targetKind = 'gittargets.gitops.proompteng.ai'

export interface Mirror {
  readonly spec: {
    readonly providerRef?: { readonly name?: string }
    readonly branch?: string
    readonly path?: string
    readonly suspend?: boolean
    readonly allowClusterRules?: boolean
    readonly ignore?: {
      readonly managers?: readonly string[]
      readonly fields?: readonly {
        readonly resources?: readonly string[]
        readonly paths?: readonly string[]
      }[]
    }
  }
  readonly status: {
    readonly conditions?: readonly Condition[]
    readonly encryption?: { readonly mode?: string }
    readonly snapshot?: {
      readonly lastCompletedTime?: string
      readonly retainedFiles?: number
      readonly driftedFiles?: number
      readonly stats?: {
        readonly created?: number
        readonly updated?: number
        readonly deleted?: number
      }
    }
    readonly stream?: {
      readonly status?: string
      readonly total?: number
      readonly live?: number
      readonly lastEventTime?: string
    }
    readonly push?: {
      readonly lastCommit?: string
      readonly lastPushTime?: string
      readonly recentCommits?: readonly { readonly commit: string; readonly time: string }[]
      readonly pendingChanges?: number
      readonly lastError?: string
    }
  }
}

/** The parts of a GitTarget that pages show. */
export function mirrorOf({ spec, status }: ApiObject): Mirror {
  return { spec: spec ?? {}, status: status ?? {} } as Mirror
}

/** `deployments: /spec/replicas` */
export function ignoredFields({ ignore }: Mirror['spec']): string {
  return (ignore?.fields ?? [])
    .map(({ resources = [], paths = [] }) => `${resources.join(', ')}: ${paths.join(', ')}`)
    .join('; ')
}

export const ruleKind = 'watchrules.gitops.proompteng.ai'
export const clusterRuleKind = 'clusterwatchrules.gitops.proompteng.ai'

interface ResourceRule {
  readonly resources?: readonly string[]
  readonly ownedObjects?: 'Include' | 'Exclude'
  readonly excludeNames?: readonly string[]
  readonly objectSelector?: object
  /** Of ClusterWatchRules. */
  readonly namespaceSelector?: object
  readonly excludeNamespaces?: readonly string[]
}

/** What a rule selects, in words: of what, and without what. */
interface SelectedObjects {
  readonly rule: string
  readonly resources: string
  readonly leftOut: string
}

/** What the WatchRules and ClusterWatchRules of a GitTarget select. */
export function selectionsOf(
  rules: readonly ApiObject[],
  target: ApiObject,
): readonly SelectedObjects[] {
  return rules.flatMap(({ metadata, spec }) => {
    const { targetRef, rules: selected = [] } = (spec ?? {}) as {
      readonly targetRef?: { readonly name?: string; readonly namespace?: string }
      readonly rules?: readonly ResourceRule[]
    }
    const { namespace = metadata.namespace, name } = targetRef ?? {}
    if (name !== target.metadata.name || namespace !== target.metadata.namespace) return []
    return selected.map((each) => ({
      rule: metadata.name,
      resources: (each.resources ?? []).map((name) => (name === '*' ? 'all' : name)).join(', '),
      leftOut: leftOutOf(each).join('; '),
    }))
  })
}

function leftOutOf(rule: ResourceRule): readonly string[] {
  const isAll = rule.resources?.includes('*') ?? false
  const { ownedObjects = isAll ? 'Exclude' : 'Include', excludeNames = [], objectSelector } = rule
  const { excludeNamespaces = [], namespaceSelector } = rule
  return [
    ...(ownedObjects === 'Exclude' ? ['what controllers create'] : []),
    ...(excludeNames.length > 0 ? [excludeNames.join(', ')] : []),
    ...(objectSelector === undefined ? [] : ['objects without the labels of the rule']),
    ...(excludeNamespaces.length > 0 ? [`namespaces ${excludeNamespaces.join(', ')}`] : []),
    ...(namespaceSelector === undefined ? [] : ['namespaces without the labels of the rule']),
  ]
}

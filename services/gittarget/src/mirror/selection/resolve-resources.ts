import {
  builtinResources,
  type ClusterWatchRule,
  groupsByResource,
  type WatchRule,
} from '@agents/gittarget-api'
import type { ServedResource } from '@agents/kube'
import { isSecret, type ResourceType, typeName, typeOf } from './resource-type.ts'

type ClusterTerms = ClusterWatchRule['spec']['rules'][number]
export type RuleTerms = WatchRule['spec']['rules'][number] &
  Pick<ClusterTerms, 'scope' | 'namespaceSelector' | 'excludeNamespaces'>

/** Why a resource of a rule is not mirrored. */
export interface ResourceProblem {
  /** The name in the rule. */
  readonly resource: string
  readonly reason:
    | 'ResourceNotServed'
    | 'ResourceAmbiguous'
    | 'ScopeMismatch'
    | 'EncryptionRequired'
    | 'PatternInvalid'
  readonly message: string
}

export interface ResolvedResources {
  readonly types: readonly ResourceType[]
  readonly problems: readonly ResourceProblem[]
}

export interface ResolveOptions {
  /** In the server's order of preference. */
  readonly served: readonly ServedResource[]
  readonly encrypts: boolean
}

/**
 * The resource types that a rule selects. A resource that cannot be mirrored is reported and skipped; the others are
 * not affected.
 */
export function resolveResources(terms: RuleTerms, options: ResolveOptions): ResolvedResources {
  const types = new Map<string, ResourceType>()
  const problems: ResourceProblem[] = []
  for (const resource of terms.resources) {
    const found = resource === '*' ? allOf(terms, options) : oneOf(resource, terms, options)
    for (const type of found.types) types.set(typeName(type), type)
    problems.push(...found.problems)
  }
  return { types: [...types.values()], problems }
}

/**
 * Resources that the cluster keeps recreating, or that have no use in another cluster. A rule has to list them by
 * name.
 */
const noise = new Set([
  'controllerrevisions.apps',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'events',
  'events.events.k8s.io',
  'ipaddresses.networking.k8s.io',
  'leases.coordination.k8s.io',
  'pods',
  'volumeattachments.storage.k8s.io',
])

function allOf(terms: RuleTerms, { served, encrypts }: ResolveOptions): ResolvedResources {
  const candidates = served.filter(
    (each) =>
      each.namespaced === (terms.scope === 'Namespaced') &&
      !noise.has(typeName(each)) &&
      (encrypts || !isSecret(each)) &&
      matchesGroup(terms, each) &&
      canBeWatched(each),
  )
  const byName = Map.groupBy(candidates, typeName)
  const chosen = [...byName.values()].map((versions) => chooseVersion(terms, versions))
  const types = chosen.filter((type) => type !== undefined).map(typeOf)
  return { types, problems: types.length === 0 ? [nothingFound(terms)] : [] }
}

/** A rule that matches nothing is more likely a mistake than intended. */
function nothingFound({ apiGroups = ['*'], apiVersions, scope }: RuleTerms): ResourceProblem {
  const groups = apiGroups.map((group) => (group === '' ? "''" : group)).join(', ')
  const versions = apiVersions === undefined ? '' : ` in ${apiVersions.join(', ')}`
  const kind = scope === 'Namespaced' ? 'namespaced' : 'cluster-scoped'
  const message = `* matches no ${kind} resource in the API groups ${groups}${versions} yet (resources that the cluster keeps recreating must be listed by name)`
  return { resource: '*', reason: 'ResourceNotServed', message }
}

function oneOf(
  resource: string,
  terms: RuleTerms,
  { served, encrypts }: ResolveOptions,
): ResolvedResources {
  const candidates = served.filter(
    (each) => each.resource === resource && matchesGroup(terms, each) && canBeWatched(each),
  )
  const groups = [...Map.groupBy(candidates, ({ group }) => group).values()]
  const chosen = groups.map((versions) => chooseVersion(terms, versions))
  const types = chosen.filter((type) => type !== undefined)
  const problem = (reason: ResourceProblem['reason'], message: string): ResolvedResources => ({
    types: [],
    problems: [{ resource: nameIn(resource, terms), reason, message }],
  })
  if (types.length === 0) {
    const plural = pluralOf(resource, terms, served)
    const advice = plural === undefined ? '' : ` (use the plural name: ${plural})`
    return problem(
      'ResourceNotServed',
      `the server does not serve ${nameIn(resource, terms)} yet${advice}`,
    )
  }
  if (terms.apiGroups === undefined && types.length > 1) {
    const names = types.map(({ group }) => (group === '' ? "''" : group)).join(', ')
    return problem(
      'ResourceAmbiguous',
      `${resource} is served by several API groups (${names}); set apiGroups to one of them`,
    )
  }
  if (!types.every((type) => isChecked(type, terms))) {
    const [wanted = ''] = builtinGroups.get(resource) ?? []
    const others = types.map(({ group }) => group).join(', ')
    return problem(
      'ResourceNotServed',
      `the server does not serve ${typeName({ group: wanted, resource })} yet; to mirror ${resource} of ${others}, set apiGroups`,
    )
  }
  const inScope = types.filter(({ namespaced }) => namespaced === (terms.scope === 'Namespaced'))
  if (inScope.length === 0) {
    const advice =
      terms.scope === 'Namespaced'
        ? 'is cluster-scoped; select it in a ClusterWatchRule with scope Cluster'
        : 'is namespaced; select it in a WatchRule, or with scope Namespaced'
    return problem('ScopeMismatch', `${nameIn(resource, terms)} ${advice}`)
  }
  const open = inScope.filter((type) => encrypts || !isSecret(type))
  const isHidden = open.length < inScope.length
  return {
    types: open.map(typeOf),
    problems: isHidden
      ? [
          {
            resource: 'secrets',
            reason: 'EncryptionRequired',
            message:
              'Secrets are not mirrored because the GitTarget has no encryption; set its spec.encryption, or remove secrets from the rule',
          },
        ]
      : [],
  }
}

/** The plural of a resource that was named by its kind or short name. */
function pluralOf(
  name: string,
  terms: RuleTerms,
  served: readonly ServedResource[],
): string | undefined {
  return served.find(
    (each) =>
      (each.kind.toLowerCase() === name || each.shortNames.includes(name)) &&
      matchesGroup(terms, each) &&
      canBeWatched(each),
  )?.resource
}

function nameIn(resource: string, { apiGroups }: RuleTerms): string {
  return apiGroups?.length === 1 && apiGroups[0] !== '*'
    ? typeName({ group: apiGroups[0] ?? '', resource })
    : resource
}

function matchesGroup({ apiGroups }: RuleTerms, { group }: ServedResource): boolean {
  return apiGroups === undefined || apiGroups.includes('*') || apiGroups.includes(group)
}

const builtinGroups = groupsByResource()

/**
 * Whether admission asked if the author of the rule may read the resource. For a name that Kubernetes itself has, it
 * asks for the group of Kubernetes, whatever the server serves under that name; see `watchAccessPolicies`.
 */
function isChecked({ group, resource }: ServedResource, { apiGroups }: RuleTerms): boolean {
  const known = builtinGroups.get(resource)
  if (known === undefined || known.includes(group)) return true
  return apiGroups !== undefined && !Object.hasOwn(builtinResources, group)
}

function canBeWatched({ verbs }: ServedResource): boolean {
  return verbs.includes('list') && verbs.includes('watch')
}

/** The first version of the rule that is served; without a version, the one that the server prefers. */
function chooseVersion(
  { apiVersions }: RuleTerms,
  versions: readonly ServedResource[],
): ServedResource | undefined {
  if (apiVersions === undefined || apiVersions.includes('*')) return versions[0]
  const [found] = apiVersions.flatMap((wanted) =>
    versions.filter(({ version }) => version === wanted),
  )
  return found
}

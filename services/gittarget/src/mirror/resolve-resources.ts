import type { ClusterWatchRule, WatchRule } from '@agents/gittarget-api'
import type { ServedResource } from '@agents/kube'
import { isSecret, type ResourceType, typeName, typeOf } from './resource-type.ts'

type ClusterTerms = ClusterWatchRule['spec']['rules'][number]
export type RuleTerms = WatchRule['spec']['rules'][number] &
  Pick<ClusterTerms, 'scope' | 'namespaceSelector'>

/** Why a resource of a rule is not mirrored. */
export interface ResourceProblem {
  /** As the rule names it. */
  readonly resource: string
  readonly reason:
    | 'ResourceNotServed'
    | 'ResourceAmbiguous'
    | 'ScopeMismatch'
    | 'EncryptionRequired'
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

/** Which types of the server a rule means. What cannot be mirrored is told and left out; it holds up nothing else. */
export const resolveResources = (terms: RuleTerms, options: ResolveOptions): ResolvedResources => {
  const types = new Map<string, ResourceType>()
  const problems: ResourceProblem[] = []
  for (const resource of terms.resources) {
    const found = resource === '*' ? allOf(terms, options) : oneOf(resource, terms, options)
    for (const type of found.types) types.set(typeName(type), type)
    problems.push(...found.problems)
  }
  return { types: [...types.values()], problems }
}

/** Made anew by the cluster all the time, or worth nothing in another one. Who wants them names them. */
const NOISE = new Set([
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

const allOf = (terms: RuleTerms, { served, encrypts }: ResolveOptions): ResolvedResources => {
  const candidates = served.filter(
    (each) =>
      each.namespaced === (terms.scope === 'Namespaced') &&
      !NOISE.has(typeName(each)) &&
      (encrypts || !isSecret(each)) &&
      matchesGroup(terms, each) &&
      canBeWatched(each),
  )
  const byName = Map.groupBy(candidates, typeName)
  const chosen = [...byName.values()].map((versions) => chooseVersion(terms, versions))
  const types = chosen.filter((type) => type !== undefined).map(typeOf)
  return { types, problems: types.length === 0 ? [nothingFound(terms)] : [] }
}

/** A rule that finds nothing is more likely mistyped than meant. */
const nothingFound = ({ apiGroups = ['*'], apiVersions, scope }: RuleTerms): ResourceProblem => {
  const groups = apiGroups.map((group) => (group === '' ? "''" : group)).join(', ')
  const versions = apiVersions === undefined ? '' : ` in ${apiVersions.join(', ')}`
  const place = scope === 'Namespaced' ? 'in namespaces' : 'outside of namespaces'
  const message = `* finds nothing ${place} in the API groups ${groups}${versions} yet (what the cluster makes anew by itself has to be named)`
  return { resource: '*', reason: 'ResourceNotServed', message }
}

const oneOf = (
  resource: string,
  terms: RuleTerms,
  { served, encrypts }: ResolveOptions,
): ResolvedResources => {
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
    const advice = plural === undefined ? '' : ` (resources are named in the plural: ${plural})`
    return problem(
      'ResourceNotServed',
      `the server serves no ${nameIn(resource, terms)} yet${advice}`,
    )
  }
  if (terms.apiGroups === undefined && types.length > 1) {
    const names = types.map(({ group }) => (group === '' ? "''" : group)).join(', ')
    return problem(
      'ResourceAmbiguous',
      `${resource} is served by ${names}: name one of them in apiGroups`,
    )
  }
  const inScope = types.filter(({ namespaced }) => namespaced === (terms.scope === 'Namespaced'))
  if (inScope.length === 0) {
    const advice =
      terms.scope === 'Namespaced'
        ? 'has no namespaces: name it in a ClusterWatchRule with scope Cluster'
        : 'is in namespaces: name it in a WatchRule, or with scope Namespaced'
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
              'Secrets are left out, because the target has no encryption: set its spec.encryption, or leave them out of the rule',
          },
        ]
      : [],
  }
}

/** What somebody may have meant who named a resource by its kind or short name. */
const pluralOf = (
  name: string,
  terms: RuleTerms,
  served: readonly ServedResource[],
): string | undefined =>
  served.find(
    (each) =>
      (each.kind.toLowerCase() === name || each.shortNames.includes(name)) &&
      matchesGroup(terms, each) &&
      canBeWatched(each),
  )?.resource

const nameIn = (resource: string, { apiGroups }: RuleTerms): string =>
  apiGroups?.length === 1 && apiGroups[0] !== '*'
    ? typeName({ group: apiGroups[0] ?? '', resource })
    : resource

const matchesGroup = ({ apiGroups }: RuleTerms, { group }: ServedResource): boolean =>
  apiGroups === undefined || apiGroups.includes('*') || apiGroups.includes(group)

const canBeWatched = ({ verbs }: ServedResource): boolean =>
  verbs.includes('list') && verbs.includes('watch')

/** The rule's first version that is served; without a choice, the one that the server prefers. */
const chooseVersion = (
  { apiVersions }: RuleTerms,
  versions: readonly ServedResource[],
): ServedResource | undefined => {
  if (apiVersions === undefined || apiVersions.includes('*')) return versions[0]
  const [found] = apiVersions.flatMap((wanted) =>
    versions.filter(({ version }) => version === wanted),
  )
  return found
}

import { groupVersionOf } from './group-versions.ts'

interface DiscoveredKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface DiscoveredSubresource {
  readonly subresource: string
  readonly responseKind?: DiscoveredKind
  readonly acceptedTypes?: readonly DiscoveredKind[]
  readonly verbs: readonly string[]
}

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind: DiscoveredKind
  readonly scope: string
  readonly singularResource: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly DiscoveredSubresource[]
}

/** `APIGroupDiscoveryList` of apidiscovery.k8s.io/v2. */
export interface DiscoveryList {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions: readonly {
      readonly version: string
      readonly resources?: readonly DiscoveredResource[]
    }[]
  }[]
}

/** One line of `discovery.json`; described in dump-builtin-schemas.ts. */
export interface CompactResource {
  readonly gv: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly scope: string
  readonly verbs: readonly string[]
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly sub?: Readonly<Record<string, CompactSubresource>>
}

interface CompactSubresource {
  readonly kind?: string
  /** Set only if it differs from that of the resource. */
  readonly gv?: string
  readonly verbs: readonly string[]
}

export function compactDiscovery(
  lists: readonly DiscoveryList[],
  groupVersions: readonly string[],
): { readonly groupVersions: string[]; readonly resources: CompactResource[] } {
  const found: string[] = []
  const resources: CompactResource[] = []
  for (const { metadata, versions } of lists.flatMap(({ items }) => items)) {
    for (const { version, resources: served = [] } of versions) {
      const gv = groupVersionOf(metadata?.name ?? '', version)
      if (!groupVersions.includes(gv)) continue
      found.push(gv)
      resources.push(...served.map((resource) => compactResource(gv, resource)))
    }
  }
  const missing = groupVersions.filter((gv) => !found.includes(gv))
  if (missing.length > 0) throw new Error(`the server does not serve ${missing.join(', ')}`)
  return { groupVersions: found, resources }
}

function compactResource(gv: string, from: DiscoveredResource): CompactResource {
  const { resource, responseKind, scope, singularResource, verbs } = from
  const sub = from.subresources?.map((item) => [item.subresource, compactSubresource(gv, item)])
  return {
    gv,
    resource,
    kind: responseKind.kind,
    singular: singularResource,
    scope,
    verbs,
    ...(from.shortNames !== undefined && { short: from.shortNames }),
    ...(from.categories !== undefined && { categories: from.categories }),
    ...(sub !== undefined && {
      sub: Object.fromEntries(sub) as Record<string, CompactSubresource>,
    }),
  }
}

function compactSubresource(gv: string, from: DiscoveredSubresource): CompactSubresource {
  const { responseKind, verbs } = from
  if (responseKind === undefined) return { verbs }
  // The server omits group and version if they are those of the resource.
  const { group, version, kind } = responseKind
  const own = version === '' ? gv : groupVersionOf(group, version)
  return { kind, ...(own !== gv && { gv: own }), verbs }
}

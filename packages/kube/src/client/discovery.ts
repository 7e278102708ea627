import { formatApiVersion, type GroupVersionResource } from '../group-version.ts'
import { decodeBody } from '../transport/decode-body.ts'
import { isNotFound } from '../transport/kube-error.ts'
import type { CallOptions, Transport } from '../transport/transport.ts'

/** A resource that the server serves. */
export interface ServedResource extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** `status`, `scale`, … */
  readonly subresources: readonly string[]
}

interface ServerVersion {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
  readonly platform?: string
}

export interface Discovery {
  /** Cached for ten minutes. */
  resources(options?: CallOptions): Promise<readonly ServedResource[]>
  /** Whether a resource is served with all these verbs. If not, the cache is refreshed at most every ten seconds. */
  supports(
    resource: GroupVersionResource,
    options?: CallOptions & { verbs?: readonly string[] },
  ): Promise<boolean>
  version(options?: CallOptions): Promise<ServerVersion>
  /** Drops the cache. */
  invalidate(): void
}

const freshMs = 600_000
/** A CRD may have been added since, but queries for a missing resource must not cause a request each. */
const missFreshMs = 10_000

export function createDiscovery(transport: Transport): Discovery {
  let known: { at: number; resources: Promise<readonly ServedResource[]> } | undefined
  const fetched = (maxAgeMs: number, call: CallOptions): Promise<readonly ServedResource[]> => {
    const now = transport.clock.elapsed()
    if (known !== undefined && now - known.at < maxAgeMs) return known.resources
    const requested = { at: now, resources: fetchAll(transport, call) }
    known = requested
    requested.resources.catch(() => {
      if (known === requested) known = undefined
    })
    return requested.resources
  }
  return {
    resources: (call = {}) => fetched(freshMs, call),
    supports: async (wanted, { verbs = [], ...call } = {}) => {
      const matches = (each: ServedResource): boolean =>
        each.group === wanted.group &&
        each.version === wanted.version &&
        each.resource === wanted.resource &&
        verbs.every((verb) => each.verbs.includes(verb))
      if ((await fetched(freshMs, call)).some(matches)) return true
      return (await fetched(missFreshMs, call)).some(matches)
    },
    version: async (call = {}) =>
      (await transport.sendJson({ ...call, path: '/version' })) as ServerVersion,
    invalidate: () => {
      known = undefined
    },
  }
}

async function fetchAll(transport: Transport, call: CallOptions): Promise<ServedResource[]> {
  const parts = await Promise.all([
    fetchRoot(transport, '/api', call),
    fetchRoot(transport, '/apis', call),
  ])
  return parts.flat()
}

const aggregated = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',')

async function fetchRoot(
  transport: Transport,
  path: '/api' | '/apis',
  call: CallOptions,
): Promise<ServedResource[]> {
  const request = { ...call, path, accept: aggregated, acceptGzip: true }
  const answer = await transport.send(request)
  const document = decodeBody(request, answer) as AggregatedList & PlainRoot
  if (document.kind === 'APIGroupDiscoveryList') return readAggregated(document)
  const versions =
    path === '/api'
      ? (document.versions ?? []).map((version) => ({ group: '', version: String(version) }))
      : (document.groups ?? []).flatMap(({ name, versions = [] }) =>
          versions.map(({ version }) => ({ group: name, version })),
        )
  const lists = versions.map(async (each) => {
    const root = path === '/api' ? '/api' : '/apis'
    try {
      const list = await transport.sendJson({ ...call, path: `${root}/${formatApiVersion(each)}` })
      return readPlain(each, list as PlainList)
    } catch (error) {
      // A version that is listed but not served must not hide the others.
      if (isNotFound(error)) return []
      throw error
    }
  })
  return (await Promise.all(lists)).flat()
}

interface AggregatedList {
  readonly kind: string
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly resources?: readonly {
        readonly resource: string
        readonly responseKind?: { readonly kind?: string }
        readonly scope?: string
        readonly verbs?: readonly string[]
        readonly shortNames?: readonly string[]
        readonly categories?: readonly string[]
        readonly subresources?: readonly { readonly subresource: string }[]
      }[]
    }[]
  }[]
}

function readAggregated({ items = [] }: AggregatedList): ServedResource[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map((each) => ({
        group: metadata?.name ?? '',
        version,
        resource: each.resource,
        kind: each.responseKind?.kind ?? '',
        namespaced: each.scope === 'Namespaced',
        verbs: each.verbs ?? [],
        shortNames: each.shortNames ?? [],
        categories: each.categories ?? [],
        subresources: (each.subresources ?? []).map(({ subresource }) => subresource),
      })),
    ),
  )
}

interface PlainRoot {
  readonly versions?: readonly string[]
  readonly groups?: readonly {
    readonly name: string
    readonly versions?: readonly { readonly version: string }[]
  }[]
}

interface PlainList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs?: readonly string[]
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }[]
}

function readPlain(
  { group, version }: { group: string; version: string },
  { resources = [] }: PlainList,
): ServedResource[] {
  const subresources = resources.map(({ name }) => name.split('/')).filter(([, sub]) => sub)
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((each) => ({
      group,
      version,
      resource: each.name,
      kind: each.kind,
      namespaced: each.namespaced,
      verbs: each.verbs ?? [],
      shortNames: each.shortNames ?? [],
      categories: each.categories ?? [],
      subresources: subresources.filter(([of]) => of === each.name).map(([, sub]) => sub ?? ''),
    }))
}

import { createHash } from 'node:crypto'
import { parseApiVersion } from '@agents/kube'
import { wantsIndentation } from '../endpoints/indentation.ts'
import { negotiateOutput } from '../endpoints/negotiate.ts'
import type { PlainHandler, PlainRequest, PlainResponse } from '../endpoints/plain-handler.ts'
import { yamlLibrary } from '../json/yaml-library.ts'
import type { Registry } from '../registry/registry.ts'
import { methodNotAllowed, pathNotFound } from '../status/api-error.ts'
import { aggregatedDiscovery } from './aggregated-discovery.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain-discovery.ts'
import { type ServedGroup, servedGroups } from './served-groups.ts'

/** Serves `/`, `/api`, `/apis`, and the groups and versions below. `builtinOrder`: `v1`, `apps/v1`, … */
export function createDiscoveryHandler(
  registry: Registry,
  builtinOrder: readonly string[],
): PlainHandler {
  const builtinGroups = new Set(builtinOrder.map((text) => parseApiVersion(text).group))
  let known: Discovery | undefined
  const discovery = (): Discovery => {
    if (known?.generation !== registry.generation) {
      const groups = servedGroups(registry.all(), builtinOrder)
      known = { generation: registry.generation, groups, aggregated: new Map() }
    }
    return known
  }

  return (request) => {
    const [root, group, version, ...rest] = request.path.split('/').filter((part) => part !== '')
    if (root === undefined) return plainAnswer(request, pathList(discovery().groups))
    if ((root !== 'api' && root !== 'apis') || rest.length > 0) return undefined
    if (root === 'api' && version !== undefined) return undefined
    const { groups } = discovery()
    if (group === undefined) {
      return rootAnswer(request, discovery(), root)
    }
    if (root === 'api') {
      return versionAnswer(request, groups, '', group, true)
    }
    if (version !== undefined) {
      return versionAnswer(request, groups, group, version, builtinGroups.has(group))
    }
    const found = groups.find(({ name }) => name === group && name !== '')
    return found === undefined ? undefined : plainAnswer(request, apiGroup(found))
  }
}

/** The paths that `/` lists, sorted. */
function pathList(groups: readonly ServedGroup[]): { paths: string[] } {
  const ofGroups = groups.flatMap(({ name, versions }) => {
    const base = name === '' ? '/api' : `/apis/${name}`
    return [base, ...versions.map(({ version }) => `${base}/${version}`)]
  })
  return { paths: [...new Set(['/apis', ...ofGroups, ...otherPaths])].sort() }
}

const otherPaths = [
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
]

interface Discovery {
  readonly generation: number
  readonly groups: readonly ServedGroup[]
  /** Documents by root, encoding and indentation, created when first requested. */
  readonly aggregated: Map<string, Aggregated>
}

interface Aggregated {
  readonly body: Buffer
  readonly etag: string
}

function rootAnswer(
  request: PlainRequest,
  discovery: Discovery,
  root: 'api' | 'apis',
): PlainResponse {
  const encoding = aggregatedEncoding(request.headers.accept)
  if (encoding !== undefined) return aggregatedAnswer(request, discovery, root, encoding)
  if (root === 'apis') return plainAnswer(request, apiGroupList(discovery.groups))
  const core = discovery.groups.find(({ name }) => name === '')
  return plainAnswer(request, apiVersions(core, request.headers.host ?? ''))
}

function versionAnswer(
  request: PlainRequest,
  groups: readonly ServedGroup[],
  group: string,
  version: string,
  isBuiltin: boolean,
): PlainResponse | undefined {
  const found = groups
    .find(({ name }) => name === group)
    ?.versions.find((each) => each.version === version)
  if (found !== undefined) return plainAnswer(request, apiResourceList(found))
  // Upstream reports a missing version for built-in groups, but a plain 404 for others.
  if (isBuiltin) throw pathNotFound()
  return undefined
}

function plainAnswer(request: PlainRequest, value: object): PlainResponse {
  if (request.method !== 'GET') throw methodNotAllowed()
  const { encoding, contentType } = negotiateOutput(request.headers.accept, false)
  const indent = wantsIndentation(request.headers, request.query.get('pretty')) ? 2 : undefined
  return { code: 200, contentType, body: encoded(value, encoding, indent) }
}

const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

function aggregatedAnswer(
  request: PlainRequest,
  { groups, aggregated }: Discovery,
  root: 'api' | 'apis',
  encoding: 'json' | 'yaml',
): PlainResponse {
  if (request.method !== 'GET') throw methodNotAllowed()
  const indent = wantsIndentation(request.headers, request.query.get('pretty')) ? 2 : undefined
  const key = `${root} ${encoding} ${indent}`
  let made = aggregated.get(key)
  if (made === undefined) {
    const wanted = groups.filter(({ name }) => (name === '') === (root === 'api'))
    const value = aggregatedDiscovery(wanted)
    made = { body: encoded(value, encoding, indent), etag: etagOf(JSON.stringify(value)) }
    aggregated.set(key, made)
  }
  const headers = { ETag: made.etag, Vary: 'Accept', 'Cache-Control': 'public' }
  const contentType = `application/${encoding};${parameters}`
  return request.headers['if-none-match'] === made.etag
    ? { code: 304, contentType, headers, body: '' }
    : { code: 200, contentType, headers, body: made.body }
}

/** The encoding of the first Accept clause for aggregated discovery, which wins over plain clauses at any position. */
function aggregatedEncoding(accept: string | undefined): 'json' | 'yaml' | undefined {
  for (const clause of (accept ?? '').split(',')) {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim())
    if (!parameters.split(';').every((parameter) => rest.includes(parameter))) continue
    if (type === 'application/yaml') return 'yaml'
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json'
  }
  return undefined
}

function encoded(value: object, encoding: 'json' | 'yaml', indent?: number): Buffer {
  return Buffer.from(
    encoding === 'yaml'
      ? yamlLibrary().stringify(value)
      : `${JSON.stringify(value, undefined, indent)}\n`,
  )
}

function etagOf(text: string): string {
  return `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`
}

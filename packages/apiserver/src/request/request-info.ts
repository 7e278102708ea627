/** The API verb and the resource or path that a request is about, derived from its URL and method. */
export interface RequestInfo {
  /** False for paths such as `/healthz`, `/apis` and `/apis/<group>/<version>`. */
  readonly isResource: boolean
  readonly path: string
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; for other paths the HTTP method in lower case.
   */
  readonly verb: string
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  /** Name of the object in the path, or of the only one that `fieldSelector=metadata.name=x` selects. */
  readonly name: string
  readonly subresource: string
  /** Segments after the subresource (`/pods/x/proxy/a/b`), without the leading slash. */
  readonly rest: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Parses method and URL. A path with invalid escapes or a NUL is treated as one that is not served. */
export function parseRequestInfo(
  method: string,
  path: string,
  query: URLSearchParams,
): RequestInfo {
  const parts = splitPath(path) ?? []
  const core = parts[0] === 'api' && parts.length >= 3
  const grouped = parts[0] === 'apis' && parts.length >= 4
  if (!core && !grouped) return plainPath(method, path)

  const group = core ? '' : (parts[1] ?? '')
  const version = (core ? parts[1] : parts[2]) ?? ''
  let rest = parts.slice(core ? 2 : 3)
  let verb = verbOfMethod(method)
  // The old /watch/ prefix is a watch of what follows it.
  if (rest[0] === 'watch' && rest.length > 1) {
    verb = 'watch'
    rest = rest.slice(1)
  }

  let namespace = ''
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? ''
    // /namespaces/x/status is a subresource of the namespace, /namespaces/x/pods a resource in it.
    if (rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')) rest = rest.slice(2)
  }

  const selectors = selectorsFor(verb, rest.length, query)
  let name = rest[1] ?? ''
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list'
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection'
  if (name === '' && (verb === 'list' || verb === 'watch')) {
    name = exactName(query.get('fieldSelector'))
  }
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    namespace,
    resource: rest[0] ?? '',
    name,
    subresource: rest[2] ?? '',
    rest: rest.slice(3).join('/'),
    ...selectors,
  }
}

/** Parses a boolean query parameter like kube-apiserver: everything but `false`, `0` and absence is true. */
export function isTrue(value: string | null): boolean {
  if (value === null) return false
  const lower = value.toLowerCase()
  return lower !== 'false' && lower !== '0'
}

const namespaceSubresources = new Set(['status', 'finalize'])

function splitPath(path: string): string[] | undefined {
  const parts: string[] = []
  const pieces = path.split('/')
  for (const [index, part] of pieces.entries()) {
    if (part === '') {
      // Leading and trailing slashes do not count; an empty part in between makes the path invalid.
      if (index === 0 || index === pieces.length - 1) continue
      return ['']
    }
    if (!part.includes('%')) {
      parts.push(part)
      continue
    }
    try {
      const decoded = decodeURIComponent(part)
      if (decoded.includes('\0')) return undefined
      // An escaped slash separates like a plain one: upstream routes on the decoded path.
      parts.push(...decoded.split('/').filter((piece) => piece !== ''))
    } catch {
      return undefined
    }
  }
  return parts
}

function plainPath(method: string, path: string): RequestInfo {
  return {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    name: '',
    subresource: '',
    rest: '',
  }
}

function verbOfMethod(method: string): string {
  switch (method) {
    case 'POST':
      return 'create'
    case 'GET':
    case 'HEAD':
      return 'get'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return ''
  }
}

function selectorsFor(
  verb: string,
  parts: number,
  query: URLSearchParams,
): { labelSelector?: string; fieldSelector?: string } {
  if (parts > 1 || (verb !== 'get' && verb !== 'delete' && verb !== 'watch')) return {}
  const labelSelector = query.get('labelSelector')
  const fieldSelector = query.get('fieldSelector')
  return {
    ...(labelSelector === null ? {} : { labelSelector }),
    ...(fieldSelector === null ? {} : { fieldSelector }),
  }
}

const exactNameSelector = /(?:^|,)\s*metadata\.name\s*==?\s*([^,=!\s]+)\s*(?:,|$)/

function exactName(fieldSelector: string | null): string {
  if (fieldSelector === null) return ''
  const name = exactNameSelector.exec(fieldSelector)?.[1] ?? ''
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
}

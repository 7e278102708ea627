import type { BuiltinTables } from '../builtin/schema/tables.ts'
import type { PlainHandler, PlainRequest, PlainResponse } from '../endpoints/plain-handler.ts'
import type { Registry } from '../registry/registry.ts'
import { type Published, publishDocuments } from './published-documents.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

/** Serves `/openapi/v3`, the documents of the group versions below it, and `/openapi/v2`. JSON only. */
export function createOpenApiHandler(
  registry: Registry,
  tables: Pick<BuiltinTables, 'definitions' | 'packages'>,
  clock: () => Date = () => new Date(),
): PlainHandler {
  const documents = publishDocuments(registry, tables)
  return (request) => {
    const { path } = request
    if (path === '/openapi/v3') return indexAnswer(documents.all())
    if (path === '/openapi/v2') {
      // Caches between us and the client must not mix the encodings.
      return documentAnswer(request, documents.swagger(), 'Accept-Encoding, Accept', clock)
    }
    if (!path.startsWith('/openapi/v3/')) return undefined
    const found = documents.all().get(path.slice('/openapi/v3/'.length))
    return found === undefined ? empty(404) : documentAnswer(request, found, 'Accept', clock)
  }
}

function indexAnswer(documents: ReadonlyMap<string, Published>): PlainResponse {
  const paths = [...documents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { hash }]) => [path, { serverRelativeURL: relativeUrl(path, hash) }])
  // Upstream leaves the type to a guess, and this is what the guess comes to.
  const contentType = 'text/plain; charset=utf-8'
  return { code: 200, contentType, body: JSON.stringify({ paths: Object.fromEntries(paths) }) }
}

function relativeUrl(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`
}

function documentAnswer(
  request: PlainRequest,
  { hash, body }: Published,
  vary: string,
  clock: () => Date,
): PlainResponse {
  if (!acceptsJson(request.headers.accept)) return empty(406, { Vary: vary })
  const etag = `"${hash}"`
  const headers: Record<string, string> = { ETag: etag, Vary: vary }
  const asked = request.query.get('hash')
  if (asked !== null && asked !== '') {
    if (asked.toUpperCase() !== hash) {
      return empty(301, { ...headers, Location: `${request.path}?hash=${hash}` })
    }
    headers['Cache-Control'] = 'public, immutable'
    headers.Expires = new Date(clock().getTime() + yearMs).toUTCString()
  }
  const contentType = 'application/json'
  if (matches(request.headers['if-none-match'], etag)) {
    return { code: 304, contentType, headers, body: '' }
  }
  return { code: 200, contentType, headers, body: body() }
}

/** Protobuf, which some clients ask for alone, is not to be had. */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true
  return accept
    .split(',')
    .map((clause) => (clause.split(';')[0] ?? '').trim().toLowerCase())
    .some((type) => type === 'application/json' || type === 'application/*' || type === '*/*')
}

function matches(given: string | undefined, etag: string): boolean {
  return given?.split(',').some((each) => each.trim() === etag) === true
}

function empty(code: number, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  return { code, contentType: '', headers, body: '' }
}

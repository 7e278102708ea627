import type { BuiltinTables } from '../builtin/schema/tables.ts'
import { acceptClauses } from '../endpoints/accept-clauses.ts'
import type { PlainHandler, PlainRequest, PlainResponse } from '../endpoints/plain-handler.ts'
import type { Registry } from '../registry/registry.ts'
import { type Published, type PublishedSwagger, publishDocuments } from './published-documents.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

const json = 'application/json'
const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** What client-go requests. `@` is not allowed in media types, so that upstream answers with the other name. */
const protobufOfOlderClients = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

interface Encoding {
  readonly types: readonly string[]
  readonly contentType: string
  body(): Buffer
}

/**
 * Serves `/openapi/v3` and the documents of the group versions below it as JSON, and `/openapi/v2` as JSON and as
 * protobuf.
 */
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
      const swagger = documents.swagger()
      // Caches between server and client must not mix the encodings.
      const vary = 'Accept-Encoding, Accept'
      return documentAnswer(request, swagger.hash, swaggerEncodings(swagger), vary, clock)
    }
    if (!path.startsWith('/openapi/v3/')) return undefined
    const found = documents.all().get(path.slice('/openapi/v3/'.length))
    if (found === undefined) return empty(404)
    return documentAnswer(request, found.hash, [jsonEncoding(found)], 'Accept', clock)
  }
}

/** The first encoding is preferred if the client accepts any. */
function swaggerEncodings(swagger: PublishedSwagger): readonly Encoding[] {
  const types = [protobuf, protobufOfOlderClients]
  return [jsonEncoding(swagger), { types, contentType: protobuf, body: () => swagger.protobuf() }]
}

function jsonEncoding(document: Published): Encoding {
  return { types: [json], contentType: json, body: () => document.body() }
}

function indexAnswer(documents: ReadonlyMap<string, Published>): PlainResponse {
  const paths = [...documents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { hash }]) => [path, { serverRelativeURL: relativeUrl(path, hash) }])
  // Upstream does not set the type, and Go detects this one.
  const contentType = 'text/plain; charset=utf-8'
  return { code: 200, contentType, body: JSON.stringify({ paths: Object.fromEntries(paths) }) }
}

function relativeUrl(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`
}

function documentAnswer(
  request: PlainRequest,
  hash: string,
  encodings: readonly Encoding[],
  vary: string,
  clock: () => Date,
): PlainResponse {
  const encoding = chosenEncoding(request.headers.accept, encodings)
  if (encoding === undefined) return empty(406, { Vary: vary })
  const { contentType } = encoding
  const etag = `"${hash}"`
  const headers: Record<string, string> = { ETag: etag, Vary: vary }
  const requested = request.query.get('hash')
  if (requested !== null && requested !== '') {
    if (requested.toUpperCase() !== hash) {
      return empty(301, { ...headers, Location: `${request.path}?hash=${hash}` })
    }
    headers['Cache-Control'] = 'public, immutable'
    headers.Expires = new Date(clock().getTime() + yearMs).toUTCString()
  }
  if (matches(request.headers['if-none-match'], etag)) {
    return { code: 304, contentType, headers, body: '' }
  }
  return { code: 200, contentType, headers, body: encoding.body() }
}

function chosenEncoding(
  accept: string | undefined,
  encodings: readonly Encoding[],
): Encoding | undefined {
  const clauses = acceptClauses(accept === undefined || accept.trim() === '' ? '*/*' : accept)
  for (const { type } of clauses) {
    const isAny = type === '*/*' || type === 'application/*'
    const found = encodings.find(({ types }) => isAny || types.includes(type))
    if (found !== undefined) return found
  }
  return undefined
}

function matches(given: string | undefined, etag: string): boolean {
  return given?.split(',').some((each) => each.trim() === etag) === true
}

function empty(code: number, headers: Readonly<Record<string, string>> = {}): PlainResponse {
  return { code, contentType: '', headers, body: '' }
}

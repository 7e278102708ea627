import type { IncomingMessage, ServerResponse } from 'node:http'
import { definitionPrefix } from '../custom-resources/definition.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { Authenticate, Authorize } from '../request/access.ts'
import { accessForbidden } from '../request/access-forbidden.ts'
import { parseRequestInfo, type RequestInfo } from '../request/request-info.ts'
import type { UserInfo } from '../request/user-info.ts'
import {
  ApiError,
  badRequest,
  forbidden,
  internal,
  methodNotAllowed,
  pathNotFound,
  serviceUnavailable,
  unauthorized,
} from '../status/api-error.ts'
import { StorageFullError, StoreClosedError, StoreFailedError } from '../store/store-error.ts'
import { checkTimeout } from './check-timeout.ts'
import { discardRest } from './discard-rest.ts'
import { isAllowedHost } from './host-check.ts'
import { offloadRequest } from './offload-request.ts'
import { queryProblem } from './parse-query.ts'
import type { PlainHandler } from './plain-handler.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { handleResource } from './resource-handler.ts'
import type { ResourceServer } from './resource-request.ts'
import {
  sendBody,
  sendError,
  sendNotFound,
  sendText,
  setFrameHeaders,
  setWarnings,
} from './respond.ts'

interface RequestHandlerOptions {
  readonly registry: Registry
  readonly resources: ResourceServer
  /** Tried in order for each path that is not a resource. */
  readonly plain: readonly PlainHandler[]
  readonly authenticate: Authenticate
  readonly authorize: Authorize
  readonly metrics: RequestMetrics
  /** Host names of the server, in addition to those of loopback. */
  readonly hosts: readonly string[]
  /** Called for unexpected errors, which clients see as a 500. */
  readonly onFault: (error: unknown, info: RequestInfo) => void
}

/** Creates the handler of all requests. Its promise never rejects. */
export function createRequestHandler(options: RequestHandlerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const began = performance.now()
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    const queryText = mark === -1 ? '' : url.slice(mark + 1)
    const problem = queryProblem(queryText)
    const query = new URLSearchParams(problem === undefined ? queryText : '')
    const info = parseRequestInfo(request.method ?? 'GET', path, query)
    setFrameHeaders(request, response)
    const warnings: string[] = []
    try {
      if (problem !== undefined) throw badRequest(problem)
      if (brokenEscape.test(path)) {
        await sendText(request, response, 400, '400 Bad Request')
        return
      }
      await answer(options, request, response, info, query, warnings)
    } catch (error) {
      await fail(options, request, response, info, error, warnings)
    } finally {
      const seconds = (performance.now() - began) / 1000
      const counted = countable(options.registry, info)
      options.metrics.record(counted, response.statusCode, seconds, query.has('dryRun'))
    }
  }
}

/** A percent sign without two hexadecimal digits, which no route accepts. */
const brokenEscape = /%(?![0-9a-fA-F]{2})/

function countable(registry: Registry, info: RequestInfo): RequestInfo {
  const verb = knownVerbs.has(info.verb) ? info.verb : 'other'
  const resource = registry.find(info.group, info.version, info.resource)
  const known =
    resource !== undefined &&
    (info.subresource === '' || resource.subresources.has(info.subresource))
  return known
    ? { ...info, verb }
    : { ...info, verb, isResource: false, group: '', version: '', resource: '', subresource: '' }
}

const knownVerbs = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'post',
  'put',
  'head',
])

async function answer(
  options: RequestHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  query: URLSearchParams,
  warnings: string[],
): Promise<void> {
  if (!isAllowedHost(request, options.hosts)) {
    throw forbidden({ group: '', plural: '' }, '', 'the request is not addressed to this server')
  }
  // Like upstream, before authentication.
  checkTimeout(info, query)
  const user = await options.authenticate(request, info)
  if (user === undefined) throw unauthorized()
  const check = (attributes: RequestInfo): void => {
    const decision = options.authorize(user, attributes)
    if (!decision.allowed) throw accessForbidden(user, attributes, decision.reason)
  }
  check(info)
  if (!info.isResource) return answerPlain(options, request, response, info, query, user)
  const resource = options.registry.find(info.group, info.version, info.resource)
  if (resource === undefined || !isAddressable(resource, info)) {
    // The path of all objects in all namespaces is read-only.
    if (resource?.isCustom === false && info.namespace === '' && info.name === '') {
      throw methodNotAllowed()
    }
    return answerPlain(options, request, response, info, query, user)
  }
  if (!resource.isCustom && !isRouted(request.method, info.verb)) throw methodNotAllowed()
  await handleResource({
    server: options.resources,
    resource,
    info: namespaceOf(resource.plural, resource.group, info),
    query,
    request,
    response,
    user,
    warnings,
    authorize: (verb) => check({ ...info, verb }),
  })
}

/** Built-in kinds have routes by method: none for HEAD, and only GET for the deprecated watch paths. */
function isRouted(method: string | undefined, verb: string): boolean {
  return method !== 'HEAD' && (verb !== 'watch' || method === 'GET')
}

/** The namespace in `/api/v1/namespaces/x` is the object itself, which is cluster-scoped. */
function namespaceOf(plural: string, group: string, info: RequestInfo): RequestInfo {
  return plural === 'namespaces' && group === '' ? { ...info, namespace: '' } : info
}

function isAddressable({ namespaced, isCustom }: Resource, info: RequestInfo): boolean {
  // Subresources have no path below them, except that the route of custom resources matches any suffix.
  if (info.rest !== '' && !isCustom) return false
  if (!namespaced) {
    return info.namespace === '' || (info.resource === 'namespaces' && info.group === '')
  }
  if (info.namespace !== '') return true
  return info.verb === 'list' || info.verb === 'watch'
}

/** Up to this size of all definitions, in bytes, the main thread builds the OpenAPI documents itself. */
const publishedLimit = 300 * 1024

async function answerPlain(
  options: RequestHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  query: URLSearchParams,
  user: UserInfo,
): Promise<void> {
  const { offload, environment, now } = options.resources
  if (offload !== undefined && info.path.startsWith('/openapi/')) {
    const definitions = environment.store.list(definitionPrefix).entries
    const size = definitions.reduce((sum, { json }) => sum + json.length, 0)
    // OpenAPI v2 is one large document that few clients request.
    if (size > publishedLimit || info.path.startsWith('/openapi/v2')) {
      return offloadRequest({ request, response, user, time: now() }, offload)
    }
  }
  const plain = {
    // HEAD is answered like GET, without the body.
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
    path: info.path,
    query,
    headers: request.headers,
    user,
  }
  for (const handler of options.plain) {
    const result = await handler(plain)
    if (result === undefined) continue
    for (const [name, value] of Object.entries(result.headers ?? {}))
      response.setHeader(name, value)
    const body = typeof result.body === 'string' ? Buffer.from(result.body) : result.body
    return sendBody(request, response, result.code, result.contentType, body)
  }
  if (isBuiltinPath(options.registry, info.path)) throw pathNotFound()
  await sendNotFound(request, response)
}

/** In the core group and the groups of built-in kinds, unknown paths get a Status instead of plain text. */
function isBuiltinPath(registry: Registry, path: string): boolean {
  const [, root, group = ''] = path.split('/')
  if (root === 'api') return group !== ''
  return root === 'apis' && registry.all().some((one) => !one.isCustom && one.group === group)
}

async function fail(
  options: RequestHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  error: unknown,
  warnings: readonly string[],
): Promise<void> {
  const known = error instanceof ApiError ? error : storeError(error)
  if (known === undefined) options.onFault(error, info)
  // The headers have been sent, so the only way to report an error is to break the stream.
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (!request.complete) discardRest(request)
  setWarnings(response, warnings)
  await sendError(request, response, known ?? internal('unexpected error'))
}

function storeError(error: unknown): ApiError | undefined {
  if (error instanceof StorageFullError) {
    return new ApiError(507, 'InternalError', `Internal error occurred: ${error.message}`)
  }
  if (error instanceof StoreClosedError || error instanceof StoreFailedError) {
    return serviceUnavailable(error.message)
  }
  return undefined
}

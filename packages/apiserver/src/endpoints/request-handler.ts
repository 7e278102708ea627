import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { StorageFullError, StoreClosedError, StoreFailedError } from '../store/store-error.ts'
import type { Authenticate, Authorize } from './access.ts'
import {
  ApiError,
  forbidden,
  internal,
  methodNotAllowed,
  pathNotFound,
  serviceUnavailable,
  unauthorized,
} from './api-error.ts'
import { accessForbidden } from './forbidden-message.ts'
import { isForUs } from './host-check.ts'
import type { PlainHandler } from './plain-handler.ts'
import { parseRequestInfo, type RequestInfo } from './request-info.ts'
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
import type { UserInfo } from './user-info.ts'

export interface RequestHandlerOptions {
  readonly registry: Registry
  readonly resources: ResourceServer
  /** Asked in order, for every path that is no resource. */
  readonly plain: readonly PlainHandler[]
  readonly authenticate: Authenticate
  readonly authorize: Authorize
  readonly metrics: RequestMetrics
  /** Names that the server is reached under, beside the loopback ones. */
  readonly hosts: readonly string[]
  /** For errors that are nobody's fault but ours. */
  readonly onFault: (error: unknown, info: RequestInfo) => void
}

/** Answers one request, whatever it is; the promise never rejects. */
export function createRequestHandler(options: RequestHandlerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const began = performance.now()
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    const query = mark === -1 ? emptyQuery() : new URLSearchParams(url.slice(mark + 1))
    const info = parseRequestInfo(request.method ?? 'GET', path, query)
    setFrameHeaders(request, response)
    const warnings: string[] = []
    try {
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

/** A percent sign without two digits: nobody routes that. */
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

function emptyQuery(): URLSearchParams {
  return new URLSearchParams()
}

async function answer(
  options: RequestHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  query: URLSearchParams,
  warnings: string[],
): Promise<void> {
  if (!isForUs(request, options.hosts)) {
    throw forbidden({ group: '', plural: '' }, '', 'the request is not addressed to this server')
  }
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
    // All objects of a kind, in every namespace, have a path, but one to read alone.
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

/** Built-in kinds have routes by method: none for HEAD, and only GET for the old paths of watches. */
function isRouted(method: string | undefined, verb: string): boolean {
  return method !== 'HEAD' && (verb !== 'watch' || method === 'GET')
}

/** The namespace in `/api/v1/namespaces/x` is the object itself, which lives in none. */
function namespaceOf(plural: string, group: string, info: RequestInfo): RequestInfo {
  return plural === 'namespaces' && group === '' ? { ...info, namespace: '' } : info
}

function isAddressable({ namespaced, isCustom }: Resource, info: RequestInfo): boolean {
  // Nothing is below a subresource; custom resources have one route for whatever follows.
  if (info.rest !== '' && !isCustom) return false
  if (!namespaced) {
    return info.namespace === '' || (info.resource === 'namespaces' && info.group === '')
  }
  if (info.namespace !== '') return true
  return info.verb === 'list' || info.verb === 'watch'
}

async function answerPlain(
  options: RequestHandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
  query: URLSearchParams,
  user: UserInfo,
): Promise<void> {
  const plain = {
    // The answer to HEAD is that to GET, but for its body.
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

/** Below the core group and those of built-in kinds even what is not found is answered in the API's terms. */
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
  // Too late for a status: a broken stream is the only sign left.
  if (response.headersSent) {
    response.destroy()
    return
  }
  // A body that nobody will read would be taken for the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
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

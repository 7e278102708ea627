import { WorkLimitExceeded } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { pathSegment } from '../metadata/name-rules.ts'
import type { Resource, StreamSubresource } from '../registry/resource.ts'
import { isHeavyBody } from '../request/body-weight.ts'
import { isTrue, type RequestInfo } from '../request/request-info.ts'
import type { AdmissionAttributes } from '../rest/admission.ts'
import { objectKey } from '../rest/environment.ts'
import { listObjects } from '../rest/list.ts'
import { parseListOptions } from '../rest/list-options.ts'
import { parseResourceVersion, waitUntilFresh } from '../rest/resource-version.ts'
import { convertedEntry, type ResponseObject, toResponseObject } from '../rest/response-object.ts'
import { readScale } from '../rest/scale.ts'
import {
  type ApiError,
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  pathNotFound,
  quote,
} from '../status/api-error.ts'
import { mediaType } from './decode-body.ts'
import { handleCreate } from './handle-create.ts'
import { handleDelete, handleDeleteCollection } from './handle-delete.ts'
import { handlePatch } from './handle-patch.ts'
import { handleUpdate } from './handle-update.ts'
import { checkWatchOutput, negotiateOutput } from './negotiate.ts'
import { offloadRequest } from './offload-request.ts'
import { readBody } from './read-body.ts'
import { contextOf, type ResourceRequest } from './resource-request.ts'
import { sendList } from './send-list.ts'
import { type Answer, sendObject } from './send-objects.ts'
import { serveWatch } from './watch-stream.ts'

export async function handleResource(
  given: Omit<ResourceRequest, 'answer' | 'readBody'>,
): Promise<void> {
  const { server, resource, info, request, response, query, warnings } = given
  const output = negotiateOutput(
    request.headers.accept,
    server.toTable !== undefined && hasTable(resource, info.subresource),
  )
  const answer: Answer = {
    request,
    response,
    output,
    query,
    warnings,
    toTable: server.toTable,
    isScale: resource.subresources.get(info.subresource)?.type === 'scale',
    now: server.now(),
    clock: server.now,
    // Only reads can be restarted.
    isLimited: server.offload !== undefined && request.method === 'GET',
  }
  checkName(info)
  if (resource.deprecated !== undefined) warnings.push(resource.deprecated.warning)
  let body: Buffer | undefined
  const readWeighed = async (): Promise<Buffer> => {
    body = await readBody(request, given.user.name)
    const type = mediaType(request.headers['content-type'])
    if (server.offload !== undefined && isHeavyBody(body, type)) throw new WorkLimitExceeded()
    return body
  }
  const one: ResourceRequest = { ...given, answer, readBody: readWeighed }
  if (request.method !== 'GET') await resource.beforeWrite?.()
  try {
    if (info.subresource !== '') await handleSubresource(one)
    else await handleMain(one)
  } catch (error) {
    if (!(error instanceof WorkLimitExceeded) || server.offload === undefined) throw error
    // The request has had no effect yet, so the other thread can start it again.
    const time = answer.now
    await offloadRequest({ request, response, user: one.user, time }, server.offload, body)
  }
}

/** Like upstream, the answers to actions and reviews and the smaller views of an object have no table. */
function hasTable({ createVirtual }: Resource, subresource: string): boolean {
  return createVirtual === undefined && ['', 'status', 'scale'].includes(subresource)
}

async function handleMain(one: ResourceRequest): Promise<void> {
  const { resource, info } = one
  if (!resource.verbs.includes(info.verb)) throw wrongMethod(resource, info.verb)
  switch (info.verb) {
    case 'get':
      return handleGet(one)
    case 'list':
      return handleList(one)
    case 'watch':
      return handleWatch(one)
    case 'create':
      // Like upstream, a custom resource can be created with any path below its collection.
      if (info.name !== '' && !resource.isCustom) throw methodNotAllowed()
      return handleCreate(one)
    case 'update':
      requireName(resource, info)
      return handleUpdate(one, resource.strategy)
    case 'patch':
      // Custom resources have one route for all methods, which checks the patch type first.
      if (!resource.isCustom) requireName(resource, info)
      return handlePatch(one, resource.strategy)
    case 'delete':
      return handleDelete(one)
    case 'deletecollection':
      return handleDeleteCollection(one)
    default:
      throw wrongMethod(resource, info.verb)
  }
}

async function handleSubresource(one: ResourceRequest): Promise<void> {
  const { resource, info } = one
  const subresource = resource.subresources.get(info.subresource)
  if (subresource === undefined) {
    // Custom resources have one route for all their paths, built-in kinds one for each.
    throw resource.isCustom ? notFound(resource, info.name) : pathNotFound()
  }
  if (!subresource.verbs.includes(info.verb)) throw wrongMethod(resource, info.verb)
  if (subresource.type === 'stream') {
    const target = { resource, namespace: info.namespace, name: info.name, query: one.query }
    const object = subresource.connectOptions?.(one.query)
    if (object !== undefined) admitConnection(one, subresource, object)
    const { alwaysNeeds } = subresource
    if (alwaysNeeds !== undefined && alwaysNeeds !== info.verb) one.authorize(alwaysNeeds)
    return subresource.connect(target, one.request, one.response)
  }
  switch (info.verb) {
    case 'get': {
      const entry = await readEntry(one)
      const payload: ResponseObject =
        subresource.type === 'scale'
          ? toResponseObject(readScale(resource, subresource, entry.value))
          : entry
      return sendObject(one.answer, resource, 200, payload)
    }
    case 'update':
      return handleUpdate(
        one,
        subresource.type === 'view' ? subresource.strategy : resource.strategy,
      )
    case 'patch':
      return handlePatch(
        one,
        subresource.type === 'view' ? subresource.strategy : resource.strategy,
      )
    case 'create':
      if (subresource.type !== 'action') throw wrongMethod(resource, info.verb)
      return handleCreate(one, subresource)
    default:
      throw wrongMethod(resource, info.verb)
  }
}

function admitConnection(
  one: ResourceRequest,
  { name: subresource, kind, group, version }: StreamSubresource,
  object: KubeObject,
): void {
  const { resource, info, server } = one
  const { admission } = server.environment
  const attributes: AdmissionAttributes = {
    operation: 'CONNECT',
    resource,
    subresource,
    kind: { group: group ?? resource.group, version: version ?? resource.version, kind },
    namespace: info.namespace,
    name: info.name,
    object,
    old: undefined,
    context: contextOf(one, { dryRun: false, fieldManager: undefined, fieldValidation: 'Ignore' }),
  }
  admission.admit(attributes)
  admission.validate(attributes)
}

/** Custom resources have one route for all methods, built-in kinds one for each. */
function wrongMethod(resource: Resource, verb: string): ApiError {
  return resource.isCustom ? methodNotSupported(resource, verb) : methodNotAllowed()
}

/** Rejects a name that is invalid for any object with a 400 instead of a 404. */
function checkName({ name, verb }: RequestInfo): void {
  if (verb === 'list' || verb === 'watch') return
  const [problem] = pathSegment(name, false)
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problem}`)
}

function requireName(resource: Resource, { name }: RequestInfo): void {
  if (name !== '') return
  throw resource.isCustom ? badRequest('name must be provided') : methodNotAllowed()
}

async function handleGet(one: ResourceRequest): Promise<void> {
  if (isTrue(one.query.get('export') || 'false')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  }
  const entry = await readEntry(one)
  await sendObject(one.answer, one.resource, 200, entry)
}

async function readEntry(one: ResourceRequest): Promise<ResponseObject> {
  const { resource, info, server, query } = one
  const { store } = server.environment
  const version = parseResourceVersion(query.get('resourceVersion') ?? '')
  if (version !== undefined && version > store.revision) await waitUntilFresh(store, version)
  const stored = store.get(objectKey(resource, info.namespace, info.name))
  if (stored === undefined) throw notFound(resource, info.name)
  return convertedEntry(resource, stored)
}

async function handleList(one: ResourceRequest): Promise<void> {
  const { resource, info, server, query } = one
  const options = parseListOptions(query, resource, false)
  const page = await listObjects(server.environment.store, resource, info.namespace, options)
  await sendList(one.answer, resource, page)
}

async function handleWatch(one: ResourceRequest): Promise<void> {
  const { resource, info, server, query } = one
  checkWatchOutput(one.answer.output)
  const requested = parseListOptions(query, resource, true)
  const named = { path: 'metadata.name', equal: true, value: info.name }
  const options =
    info.name === '' ? requested : { ...requested, fields: [...requested.fields, named] }
  await serveWatch(
    server.environment.store,
    server.watches,
    one.answer,
    resource,
    info.namespace,
    options,
  )
}

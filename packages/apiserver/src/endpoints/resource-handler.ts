import type { Resource } from '../registry/resource.ts'
import { objectKey } from '../rest/environment.ts'
import { listObjects } from '../rest/list.ts'
import { parseListOptions } from '../rest/list-options.ts'
import { pathSegment } from '../rest/name-rules.ts'
import { parseResourceVersion, waitUntilFresh } from '../rest/resource-version.ts'
import { readScale } from '../rest/scale.ts'
import { type Shown, shownEntry, shownValue } from '../rest/shown.ts'
import {
  type ApiError,
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  pathNotFound,
  quote,
} from './api-error.ts'
import { handleCreate } from './handle-create.ts'
import { handleDelete, handleDeleteCollection } from './handle-delete.ts'
import { handlePatch } from './handle-patch.ts'
import { handleUpdate } from './handle-update.ts'
import { negotiateOutput } from './negotiate.ts'
import type { RequestInfo } from './request-info.ts'
import type { ResourceRequest } from './resource-request.ts'
import { sendList } from './send-list.ts'
import { type Answer, sendObject } from './send-objects.ts'
import { serveWatch } from './watch-stream.ts'

export async function handleResource(given: Omit<ResourceRequest, 'answer'>): Promise<void> {
  const { server, resource, info, request, response, query, warnings } = given
  const output = negotiateOutput(
    request.headers.accept,
    server.toTable !== undefined && info.subresource === '',
  )
  const answer: Answer = {
    request,
    response,
    output,
    query,
    warnings,
    toTable: server.toTable,
    now: server.now(),
    clock: server.now,
  }
  checkName(info)
  if (resource.deprecated !== undefined) warnings.push(resource.deprecated.warning)
  const one: ResourceRequest = { ...given, answer }
  if (request.method !== 'GET') await resource.beforeWrite?.()
  if (info.subresource !== '') await handleSubresource(one)
  else await handleMain(one)
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
      // Upstream lets a custom resource be created at any path below its collection.
      if (info.name !== '' && !resource.isCustom) throw methodNotAllowed()
      return handleCreate(one)
    case 'update':
      requireName(resource, info)
      return handleUpdate(one, resource.strategy)
    case 'patch':
      // Custom resources have one route for all methods, which looks at the type of the patch first.
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
    return subresource.connect(target, one.request, one.response)
  }
  switch (info.verb) {
    case 'get': {
      const entry = await readEntry(one)
      const shown: Shown =
        subresource.type === 'scale'
          ? shownValue(readScale(resource, subresource, entry.value))
          : entry
      return sendObject(one.answer, resource, 200, shown)
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

/** Custom resources have one route for all methods, built-in kinds one for each. */
function wrongMethod(resource: Resource, verb: string): ApiError {
  return resource.isCustom ? methodNotSupported(resource, verb) : methodNotAllowed()
}

/** A name that no object can have is a bad request, not a missing object. */
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
  const entry = await readEntry(one)
  await sendObject(one.answer, one.resource, 200, entry)
}

async function readEntry(one: ResourceRequest): Promise<Shown> {
  const { resource, info, server, query } = one
  const { store } = server.environment
  const version = parseResourceVersion(query.get('resourceVersion') ?? '')
  if (version !== undefined && version > store.revision) await waitUntilFresh(store, version)
  const stored = store.get(objectKey(resource, info.namespace, info.name))
  if (stored === undefined) throw notFound(resource, info.name)
  return shownEntry(resource, stored)
}

async function handleList(one: ResourceRequest): Promise<void> {
  const { resource, info, server, query } = one
  const options = parseListOptions(query, resource, false)
  const page = await listObjects(server.environment.store, resource, info.namespace, options)
  await sendList(one.answer, resource, page)
}

async function handleWatch(one: ResourceRequest): Promise<void> {
  const { resource, info, server, query } = one
  const asked = parseListOptions(query, resource, true)
  const named = { path: 'metadata.name', equal: true, value: info.name }
  const options = info.name === '' ? asked : { ...asked, fields: [...asked.fields, named] }
  await serveWatch(
    server.environment.store,
    server.watches,
    one.answer,
    resource,
    info.namespace,
    options,
  )
}

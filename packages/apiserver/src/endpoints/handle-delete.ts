import type { Json } from '@agents/crd'
import { deleteObject } from '../rest/delete.ts'
import { deleteCollection } from '../rest/delete-collection.ts'
import type { DeleteOptions } from '../rest/delete-options.ts'
import { parseListOptions } from '../rest/list-options.ts'
import { decodeBody } from './decode-body.ts'
import { readBody } from './read-body.ts'
import { readDeleteOptions } from './read-delete-options.ts'
import { contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { sendList } from './send-list.ts'
import { sendObject, sendValue } from './send-objects.ts'

export async function handleDelete(one: ResourceRequest): Promise<void> {
  const { resource, server } = one
  const options = await optionsOf(one)
  const target = targetOf(one, resource.strategy)
  const outcome = await deleteObject(server.environment, target, options, context(one, options))
  if ('status' in outcome) return sendValue(plain(one), 200, outcome.status)
  // Upstream says "accepted" only to those who asked the old way not to orphan.
  const code = outcome.waiting && options.orphanDependents === false ? 202 : 200
  await sendObject(one.answer, resource, code, outcome.shown)
}

export async function handleDeleteCollection(one: ResourceRequest): Promise<void> {
  const { resource, server, query } = one
  const listOptions = parseListOptions(query, resource, false)
  const options = await optionsOf(one)
  const target = targetOf(one, resource.strategy)
  const page = await deleteCollection(
    server.environment,
    target,
    listOptions,
    options,
    context(one, options),
  )
  await sendList(one.answer, resource, page)
}

async function optionsOf({ request, query, server }: ResourceRequest): Promise<DeleteOptions> {
  const bytes = await readBody(request)
  let body: Json | undefined
  if (bytes.length > 0) {
    const type = request.headers['content-type']
    body = decodeBody(bytes, type, undefined, server.decodeProtobuf).value
  }
  return readDeleteOptions(body, query)
}

function context(one: ResourceRequest, { dryRun }: DeleteOptions) {
  return contextOf(one, { dryRun, fieldManager: undefined, fieldValidation: 'Ignore' })
}

/** A Status is never turned into a table. */
function plain({ answer }: ResourceRequest) {
  const { output } = answer
  return {
    ...answer,
    output: { ...output, as: 'object', contentType: `application/${output.encoding}` } as const,
  }
}

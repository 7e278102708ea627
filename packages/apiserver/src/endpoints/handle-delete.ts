import type { Json } from '@agents/crd'
import { deleteObject } from '../rest/delete.ts'
import { deleteCollection } from '../rest/delete-collection.ts'
import type { DeleteOptions } from '../rest/delete-options.ts'
import { limited } from '../rest/environment.ts'
import { parseListOptions } from '../rest/list-options.ts'
import { decodeBody } from './decode-body.ts'
import { readDeleteOptions } from './read-delete-options.ts'
import { checkLiveWeight, contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { sendList } from './send-list.ts'
import { sendObject, sendValue } from './send-objects.ts'

export async function handleDelete(one: ResourceRequest): Promise<void> {
  const { resource, server } = one
  const options = await optionsOf(one)
  checkLiveWeight(one)
  const target = targetOf(one, resource.strategy)
  const outcome = await deleteObject(server.environment, target, options, context(one, options))
  if ('status' in outcome) return sendValue(plain(one), 200, outcome.status)
  // Like upstream, 202 is sent only for the deprecated `orphanDependents: false`.
  const code = outcome.waiting && options.orphanDependents === false ? 202 : 200
  await sendObject(one.answer, resource, code, outcome.payload)
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

async function optionsOf(one: ResourceRequest): Promise<DeleteOptions> {
  const { request, query, server } = one
  const bytes = await one.readBody()
  let body: Json | undefined
  if (bytes.length > 0) {
    const type = request.headers['content-type']
    body = limited(
      server.environment,
      () => decodeBody(bytes, type, undefined, server.decodeProtobuf).value,
    )
  }
  return readDeleteOptions(body, query)
}

function context(one: ResourceRequest, { dryRun }: DeleteOptions) {
  return contextOf(one, { dryRun, fieldManager: undefined, fieldValidation: 'Ignore' })
}

/** Sends a Status, which is never converted to a table. */
function plain({ answer }: ResourceRequest) {
  const { output } = answer
  return {
    ...answer,
    output: { ...output, as: 'object', contentType: `application/${output.encoding}` } as const,
  }
}

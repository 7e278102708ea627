import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { copyJson, isJsonObject } from '../json/json-value.ts'
import type { Strategy } from '../registry/resource.ts'
import type { ScaleSubresource } from '../registry/subresource.ts'
import { scaleOf, withScale } from '../rest/scale.ts'
import { shownValue } from '../rest/shown.ts'
import { type UpdateOutcome, updateObject, wishOf } from '../rest/update.ts'
import { badRequest, notFound } from './api-error.ts'
import { decodeBody } from './decode-body.ts'
import { decodeObject } from './decode-object.ts'
import { readBody } from './read-body.ts'
import { contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { sendObject } from './send-objects.ts'
import { parseWriteOptions } from './write-options.ts'

/** PUT of an object, of its status or of its scale. */
export async function handleUpdate(one: ResourceRequest, strategy: Strategy): Promise<void> {
  const { resource, info, server, request } = one
  const bytes = await readBody(request)
  const context = contextOf(one, parseWriteOptions(one.query, 'UpdateOptions', false))
  const scale = scaleSubresource(one)
  const decoded = decodeBody(
    bytes,
    request.headers['content-type'],
    scale === undefined ? resource.kind : 'Scale',
    server.decodeProtobuf,
  )
  const target = targetOf(one, strategy)
  let wish: (live: KubeObject | undefined) => KubeObject
  if (scale !== undefined) {
    const wished = scaleBody(decoded.value)
    wish = (live) => {
      if (live === undefined) throw notFound(resource, info.name)
      return withScale(resource, scale, live, wished)
    }
  } else {
    const body = decodeObject(target, decoded, context, server.isKind)
    const copies = wishOf(body)
    wish = (live) => {
      if (live === undefined) one.authorize('create')
      return copies(live)
    }
  }
  const outcome = await updateObject(
    server.environment,
    target,
    { wish, forceCreate: false, managed: false, uidIsPrecondition: true },
    context,
  )
  await sendOutcome(one, outcome)
}

export async function sendOutcome(one: ResourceRequest, outcome: UpdateOutcome): Promise<void> {
  const scale = scaleSubresource(one)
  const shown =
    scale === undefined ? outcome.shown : shownValue(scaleOf(scale, outcome.shown.value))
  await sendObject(one.answer, one.resource, outcome.created ? 201 : 200, shown)
}

export function scaleSubresource({
  resource,
  info,
}: ResourceRequest): ScaleSubresource | undefined {
  const subresource = resource.subresources.get(info.subresource)
  return subresource?.type === 'scale' ? subresource : undefined
}

/** A Scale as a client sent it; its content is checked when it is written into the parent. */
export function scaleBody(value: Json): KubeObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata ?? {})) {
    throw badRequest('the object provided is unrecognized (must be of type Scale)')
  }
  const body = copyJson(value) as unknown as KubeObject
  body.kind ??= 'Scale'
  body.apiVersion ??= 'autoscaling/v1'
  body.metadata ??= { name: '' }
  return body
}

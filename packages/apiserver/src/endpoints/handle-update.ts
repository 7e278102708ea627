import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { copyJson, isJsonObject } from '../json/json-value.ts'
import type { ScaleSubresource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import { limited } from '../rest/environment.ts'
import { toResponseObject } from '../rest/response-object.ts'
import { scaleOf, withScale } from '../rest/scale.ts'
import { copiesOf, type UpdateOutcome, updateObject } from '../rest/update.ts'
import { badRequest, notFound } from '../status/api-error.ts'
import { decodeBody } from './decode-body.ts'
import { decodeObject } from './decode-object.ts'
import { checkLiveWeight, contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { sendObject } from './send-objects.ts'
import { parseWriteOptions } from './write-options.ts'

/** Handles PUT of an object, its status or its scale. */
export async function handleUpdate(one: ResourceRequest, strategy: Strategy): Promise<void> {
  const { resource, info, server, request } = one
  const bytes = await one.readBody()
  checkLiveWeight(one)
  const context = contextOf(one, parseWriteOptions(one.query, 'UpdateOptions', false))
  const scale = scaleSubresource(one)
  const decoded = limited(server.environment, () =>
    decodeBody(
      bytes,
      request.headers['content-type'],
      scale === undefined ? resource.kind : 'Scale',
      server.decodeProtobuf,
    ),
  )
  const target = targetOf(one, strategy)
  let desired: (live: KubeObject | undefined) => KubeObject
  if (scale !== undefined) {
    const desiredScale = scaleBody(decoded.value)
    desired = (live) => {
      if (live === undefined) throw notFound(resource, info.name)
      return withScale(resource, scale, live, desiredScale)
    }
  } else {
    const body = limited(server.environment, () =>
      decodeObject(target, decoded, context, server.isKind),
    )
    const copies = copiesOf(body)
    desired = (live) => {
      if (live === undefined) one.authorize('create')
      return copies(live)
    }
  }
  const outcome = await updateObject(
    server.environment,
    target,
    { desired, forceCreate: false, managed: false, uidIsPrecondition: true },
    context,
  )
  await sendOutcome(one, outcome)
}

export async function sendOutcome(one: ResourceRequest, outcome: UpdateOutcome): Promise<void> {
  const scale = scaleSubresource(one)
  const payload =
    scale === undefined ? outcome.payload : toResponseObject(scaleOf(scale, outcome.payload.value))
  await sendObject(one.answer, one.resource, outcome.created ? 201 : 200, payload)
}

export function scaleSubresource({
  resource,
  info,
}: ResourceRequest): ScaleSubresource | undefined {
  const subresource = resource.subresources.get(info.subresource)
  return subresource?.type === 'scale' ? subresource : undefined
}

/** The Scale that a client sent. Its content is validated when it is written to the parent. */
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

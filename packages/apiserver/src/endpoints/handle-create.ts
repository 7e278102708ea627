import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import { isJsonObject } from '../json/json-value.ts'
import type { ActionSubresource } from '../registry/subresource.ts'
import { createObject } from '../rest/create.ts'
import type { RequestContext } from '../rest/request-context.ts'
import { shownValue } from '../rest/shown.ts'
import { managerOf, matchNamespace, wipeSystemFields } from '../rest/system-metadata.ts'
import { decodeBody } from './decode-body.ts'
import { decodeObject } from './decode-object.ts'
import type { DecodedText } from './decode-text.ts'
import { readBody } from './read-body.ts'
import { contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { sendObject } from './send-objects.ts'
import { parseWriteOptions } from './write-options.ts'

/** POST to a collection, or to a subresource that acts. */
export async function handleCreate(
  one: ResourceRequest,
  action?: ActionSubresource,
): Promise<void> {
  const { resource, info, server, request } = one
  const bytes = await readBody(request)
  const context = contextOf(one, parseWriteOptions(one.query, 'CreateOptions', false))
  const decoded = decodeBody(
    bytes,
    request.headers['content-type'],
    action?.kind ?? resource.kind,
    server.decodeProtobuf,
  )
  if (action !== undefined) {
    const body = actionBody(one, action, decoded, context)
    const { namespace, name } = info
    const result = await action.create({ resource, namespace, name, body, context })
    return sendObject(one.answer, resource, 201, shownValue(result))
  }
  const target = targetOf(one, resource.strategy)
  const object = decodeObject(target, decoded, context, server.isKind)
  if (resource.createVirtual !== undefined) {
    const result = await resource.createVirtual(asked(one, object, context), context)
    return sendObject(one.answer, resource, 201, shownValue(result))
  }
  const created = await createObject(server.environment, target, object, context)
  await sendObject(one.answer, resource, 201, created)
}

/** Nothing of it is stored, but who asked is recorded like any write; where it is asked belongs to it. */
function asked(
  { resource, info, server }: ResourceRequest,
  object: KubeObject,
  context: RequestContext,
): KubeObject {
  wipeSystemFields(object)
  matchNamespace(object, resource.namespaced ? info.namespace : '')
  const { strategy } = resource
  const manager = managerOf(context)
  return (
    server.environment.fieldManager?.onUpdate({
      resource,
      strategy,
      subresource: '',
      live: undefined,
      next: object,
      manager,
      now: context.now,
    }) ?? object
  )
}

/** The body of an action may be empty or leave out its type: the path says what it is. */
function actionBody(
  { resource, server }: ResourceRequest,
  action: ActionSubresource,
  decoded: DecodedText,
  context: RequestContext,
): KubeObject {
  const { kind, decoding, group = resource.group, version = resource.version } = action
  const expected = formatApiVersion({ group, version })
  const sent = decoded.value
  if (isJsonObject(sent) && action.alsoTakes?.includes(String(sent.apiVersion))) {
    sent.apiVersion = expected
  }
  const body = decodeObject(
    { resource: { group, version, kind, isCustom: false }, strategy: decoding },
    { ...decoded, value: decoded.value ?? {} },
    context,
    (apiVersion, name) =>
      (name === kind && apiVersion === expected) || server.isKind(apiVersion, name),
  )
  body.metadata ??= { name: '' }
  return body
}

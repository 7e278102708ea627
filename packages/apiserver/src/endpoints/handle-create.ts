import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import { isJsonObject } from '../json/json-value.ts'
import { managerOf, matchNamespace, wipeSystemFields } from '../metadata/system-metadata.ts'
import type { ActionSubresource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { AdmissionAttributes } from '../rest/admission.ts'
import { createObject } from '../rest/create.ts'
import { limited } from '../rest/environment.ts'
import { toResponseObject } from '../rest/response-object.ts'
import { decodeBody } from './decode-body.ts'
import { decodeObject } from './decode-object.ts'
import type { DecodedText } from './decode-text.ts'
import {
  contextOf,
  type ResourceRequest,
  type ResourceServer,
  targetOf,
} from './resource-request.ts'
import { sendObject } from './send-objects.ts'
import { parseWriteOptions } from './write-options.ts'

/** Handles POST to a collection or to an action subresource. */
export async function handleCreate(
  one: ResourceRequest,
  action?: ActionSubresource,
): Promise<void> {
  const { resource, info, server, request } = one
  const bytes = await one.readBody()
  const context = contextOf(one, parseWriteOptions(one.query, 'CreateOptions', false))
  const decoded = limited(server.environment, () =>
    decodeBody(
      bytes,
      request.headers['content-type'],
      action?.kind ?? resource.kind,
      server.decodeProtobuf,
    ),
  )
  if (action !== undefined) {
    const body = actionBody(one, action, decoded, context)
    const { namespace, name } = info
    const { kind, group = resource.group, version = resource.version } = action
    const subresource = action.name
    const attributes = {
      ...({ operation: 'CREATE', resource, subresource, kind: { group, version, kind } } as const),
      ...{ namespace, name, object: body, old: undefined, context },
    }
    admitted(server, attributes)
    const result = await action.create({ resource, namespace, name, body, context })
    return sendObject(one.answer, resource, 201, toResponseObject(result))
  }
  const target = targetOf(one, resource.strategy)
  const object = limited(server.environment, () =>
    decodeObject(target, decoded, context, server.isKind),
  )
  if (resource.createVirtual !== undefined) {
    const wanted = prepareVirtual(one, object, context)
    admitted(server, {
      ...({ operation: 'CREATE', resource, subresource: '', namespace: target.namespace } as const),
      ...{ name: wanted.metadata.name ?? '', object: wanted, old: undefined, context },
    })
    const result = await resource.createVirtual(wanted, context)
    return sendObject(one.answer, resource, 201, toResponseObject(result))
  }
  const created = await createObject(server.environment, target, object, context)
  await sendObject(one.answer, resource, 201, created)
}

/** Creates of resources without storage go through admission as well. */
function admitted({ environment }: ResourceServer, attributes: AdmissionAttributes): void {
  limited(environment, () => {
    environment.admission.admit(attributes)
    environment.admission.validate(attributes)
  })
}

/** Prepares an object that is not stored like one that is: with its namespace and with managedFields. */
function prepareVirtual(
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

/** The body of an action may be empty or lack its type, which then follows from the path. */
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

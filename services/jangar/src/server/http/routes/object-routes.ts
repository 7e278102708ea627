import { EventKind, formatApiVersion, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { ApiError } from '../../api/api-error.ts'
import { findReferrers, type ReferrerPorts } from '../../api/find-referrers.ts'
import { fullNameOf, platformKinds } from '../../definitions/platform-kinds.ts'
import type { OpenRequests } from '../open-requests.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import { eventRecords, eventSelector } from './object-events.ts'
import {
  eventPageSchema,
  kindPageSchema,
  objectPageSchema,
  objectSchema,
  referrersSchema,
} from './object-schemas.ts'

/** The paths of single objects name a namespace, so that a kind of the cluster has no place in them. */
const known: ReadonlyMap<string, KindRef> = new Map(
  platformKinds
    .filter(({ scope }) => scope === 'Namespaced')
    .map((kind) => [fullNameOf(kind), kindRef<KubeObject>(kind)]),
)

/** Lists need no namespace. */
const ofCluster: ReadonlyMap<string, KindRef> = new Map(
  platformKinds
    .filter(({ scope }) => scope === 'Cluster')
    .map((kind) => [fullNameOf(kind), kindRef<KubeObject>(kind)]),
)

const schemas: ReadonlyMap<string, object> = new Map(
  platformKinds.map((kind) => [fullNameOf(kind), kind.schema]),
)

interface ObjectPorts extends ReferrerPorts {
  /** Of what reads much. */
  readonly costly: OpenRequests
}

const answers = { 200: { description: 'The object.', schema: objectSchema } }

/** The objects of the platform's kinds, and of no others, each as the caller. */
export function objectRoutes(ports: ObjectPorts): readonly Route[] {
  const { callerClient } = ports
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/kinds',
      id: 'listKinds',
      summary: 'Lists the kinds of the platform.',
      description: 'Their names, groups and versions, the same for all callers.',
      answers: { 200: { description: 'The kinds.', schema: kindPageSchema } },
      handle: () => ({
        json: {
          items: [...known].map(([name, { kind, group, version, plural }]) => ({
            ...{ name, kind, group, version, plural },
          })),
        },
      }),
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/kinds/{kind}/schema',
      id: 'getKindSchema',
      summary: 'Gets the schema of a kind.',
      description:
        'What can be written of its objects: the OpenAPI schema of its CustomResourceDefinition, the same for all callers.',
      answers: { 200: { description: 'The schema.', schema: { type: 'object' } } },
      handle: ({ path }) => ({ json: schemas.get(fullNameOf(kindOf(path))) }),
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/objects/{kind}',
      id: 'listObjects',
      summary: 'Lists objects of a kind.',
      description: 'Asks the API server with the token of the caller, page by page.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'If omitted, all namespaces, which needs the right to list in all.',
        },
        labelSelector: { type: 'string', maxLength: 1000, description: '`app=web,tier in (a,b)`' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          default: 100,
          description: 'Per page.',
        },
        continue: {
          ...{ type: 'string', maxLength: 4096 },
          description: 'The `metadata.continue` of the page before.',
        },
      },
      answers: { 200: { description: 'A page of objects.', schema: objectPageSchema } },
      handle: async ({ path, query: { namespace, ...query }, signal }, caller) => {
        const kind = ofCluster.get(path.kind ?? '') ?? kindOf(path)
        if (namespace !== undefined && !kind.namespaced) {
          throw new ApiError('BadRequest', `namespace: objects of ${path.kind} are in no namespace`)
        }
        const { metadata, items } = await callerClient.list(caller, kind, namespace, query, signal)
        return { json: { metadata, items } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/objects/{kind}/{namespace}/{name}',
      id: 'getObject',
      summary: 'Gets an object.',
      description: 'Asks the API server with the token of the caller.',
      answers,
      handle: async ({ path, signal }, caller) => ({
        json: await callerClient.get(caller, kindOf(path), keyOf(path), signal),
      }),
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/objects/{kind}/{namespace}/{name}/events',
      id: 'listObjectEvents',
      summary: 'Lists the events of an object, newest first.',
      description:
        'Asks the API server with the token of the caller, who needs the right to list events. Clusters keep events for an hour or so.',
      answers: { 200: { description: 'The last 200 events.', schema: eventPageSchema } },
      handle: async ({ path, signal }, caller) => {
        const kind = kindOf(path)
        const { namespace, name } = keyOf(path)
        const query = { fieldSelector: eventSelector(kind, name) }
        const { items } = await callerClient.list(caller, EventKind, namespace, query, signal)
        return { json: { items: eventRecords(items, kind) } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/objects/{kind}/{namespace}/{name}/referrers',
      id: 'listReferrers',
      summary: 'Lists the objects that refer to an object.',
      description:
        'Needs the right to get the object. Objects of kinds that the caller may not list in its namespace are left out, and the kind is `denied`.',
      answers: { 200: { description: 'The objects, by kind.', schema: referrersSchema } },
      handle: async ({ path, signal }, caller) => {
        const kind = kindOf(path)
        const release = ports.costly.take(caller.username)
        try {
          const object = await callerClient.get(caller, kind, keyOf(path), signal)
          return { json: { kinds: await findReferrers(ports, caller, kind, object, signal) } }
        } finally {
          release()
        }
      },
    }),
    callerRoute({
      method: 'PUT',
      path: '/v1/objects/{kind}/{namespace}/{name}',
      id: 'applyObject',
      summary: 'Applies an object.',
      description: 'Server-side apply with the field manager `agents-api`: creates or changes it.',
      query: {
        force: { type: 'boolean', description: 'Whether fields of other managers are taken over.' },
        replace: {
          type: 'boolean',
          description:
            'Whether the object is replaced as a whole, as by `kubectl replace`, in the `metadata.resourceVersion` that was read.',
        },
        create: {
          type: 'boolean',
          description:
            'Whether the object is created, as by `kubectl create`: that needs the right to create it only, and one that exists is not changed.',
        },
        dryRun: {
          type: 'boolean',
          description: 'Whether the object is checked in full, and not stored.',
        },
      },
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 },
        schema: objectSchema,
      },
      answers,
      handle: async ({ path, query, body, signal }, caller) => {
        const kind = kindOf(path)
        const key = keyOf(path)
        const object = named(kind, key, body as KubeObject)
        const { replace, create, ...options } = query
        if (create) {
          if (replace) throw new ApiError('BadRequest', 'create and replace exclude each other')
          if (query.force) throw new ApiError('BadRequest', 'create and force exclude each other')
          const { namespace } = key
          return {
            json: await callerClient.create(caller, kind, namespace, object, signal, options),
          }
        }
        if (!replace) {
          return { json: await callerClient.apply(caller, kind, key, object, options, signal) }
        }
        // Without it, the API server would overwrite whatever others have written since.
        if (!object.metadata.resourceVersion) {
          throw new ApiError('BadRequest', 'metadata.resourceVersion is required with replace')
        }
        return { json: await callerClient.replace(caller, kind, key, object, options, signal) }
      },
    }),
    callerRoute({
      method: 'DELETE',
      path: '/v1/objects/{kind}/{namespace}/{name}',
      id: 'deleteObject',
      summary: 'Deletes an object.',
      description:
        'Asks the API server with the token of the caller. Finalizers decide when it is gone.',
      answers: {
        200: {
          description: 'It is deleted, or will be when its finalizers are done.',
          schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } },
        },
      },
      handle: async ({ path, signal }, caller) => {
        await callerClient.delete(caller, kindOf(path), keyOf(path), signal)
        return { json: { ok: true } }
      },
    }),
  ]
}

function kindOf({ kind = '' }: Readonly<Record<string, string>>): KindRef {
  const found = known.get(kind)
  if (found === undefined) {
    throw new ApiError('NotFound', `${kind} is not a kind of the platform; /v1/kinds lists them`)
  }
  return found
}

function keyOf({ namespace = '', name = '' }: Readonly<Record<string, string>>) {
  return { namespace, name }
}

/** The object, which must not name another kind or place than the path does. */
function named(
  kind: KindRef,
  { namespace, name }: { namespace: string; name: string },
  object: KubeObject,
) {
  const { metadata } = object
  const wanted = { apiVersion: formatApiVersion(kind), kind: kind.kind, namespace, name }
  const given = { apiVersion: object.apiVersion, kind: object.kind, namespace, ...metadata }
  for (const [field, value] of Object.entries(wanted)) {
    if (given[field as keyof typeof wanted] === value) continue
    throw new ApiError('BadRequest', `${field} of the object must be ${value}, as in the path`)
  }
  return { ...object, metadata: { ...metadata, namespace, name } }
}

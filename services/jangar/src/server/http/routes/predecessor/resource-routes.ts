import { EventKind, type KindRef, type KubeObject } from '@agents/kube'
import type { Caller } from '../../../api/access/caller.ts'
import type { CallerClient } from '../../../api/caller-client.ts'
import { fullNameOf } from '../../../definitions/platform-kinds.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import { eventRecords, eventSelector } from '../object-events.ts'
import { eventPageSchema, objectSchema } from '../object-schemas.ts'
import { kindOf, kindParameter, shownObject } from './kinds.ts'
import { appliedObject } from './object-routes.ts'
import type { CallOperation } from './operations.ts'
import { okSchema } from './run-record.ts'

const base = '/api/agents/control-plane'
const { namespace, name } = pathParameters
const one = { kind: kindParameter, name, namespace }
const oneRequired = ['kind', 'name', 'namespace']
const resource = okSchema({ resource: objectSchema })
/** How many objects are looked at for those of a phase or runtime. */
const pageSize = 500
const mostPages = 20

/** Objects of all kinds, by the paths of the predecessor. */
export function predecessorResourceRoutes(
  { callerClient }: { readonly callerClient: CallerClient },
  call: CallOperation,
): readonly Route[] {
  return [
    callerRoute({
      method: 'GET',
      path: `${base}/resources`,
      id: 'listResources',
      summary: 'Lists objects of a kind in a namespace.',
      description:
        'Asks the API server with the token of the caller. `GET /v1/objects/{kind}` has pages.',
      query: {
        ...{ kind: kindParameter, namespace },
        labelSelector: { type: 'string', maxLength: 1000, description: '`app=web,tier in (a,b)`' },
        phase: {
          ...{ type: 'string', maxLength: 63, pattern: '^[A-Za-z]+$' },
          description: 'Only objects in this phase.',
        },
        runtime: {
          ...{ type: 'string', enum: ['workflow', 'job', 'temporal', 'custom'] as const },
          description: 'Only AgentRuns with this type of runtime.',
        },
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: 500, default: 100 },
          description: 'How many at most.',
        },
      },
      requiredQuery: ['kind', 'namespace'],
      answers: {
        200: {
          description: 'The objects.',
          schema: okSchema({
            ...{ kind: { type: 'string' }, namespace: { type: 'string' } },
            total: {
              type: 'integer',
              description: 'How many there are; at least so many if the list is truncated.',
            },
            truncated: { type: 'boolean', description: 'Whether there are more than the items.' },
            items: { type: 'array', items: objectSchema },
          }),
        },
      },
      handle: async ({ query, signal }, caller) => {
        const kind = kindOf(query.kind)
        const found = await listed(call, caller, kind, query, signal)
        const items = found.items.map((each) => shownObject(kind, each))
        return { json: { ok: true, kind: kind.kind, namespace: query.namespace, ...found, items } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: `${base}/resource`,
      id: 'getResource',
      summary: 'Gets an object.',
      description: 'Asks the API server with the token of the caller.',
      query: one,
      requiredQuery: oneRequired,
      answers: { 200: { description: 'The object.', schema: resource } },
      handle: async ({ query, signal }, caller) => {
        const path = pathOf(query)
        const { json } = await call(caller, { operation: 'getObject', path }, signal)
        return { json: { ok: true, resource: json } }
      },
    }),
    callerRoute({
      method: 'POST',
      path: `${base}/resource`,
      id: 'applyResource',
      summary: 'Creates or changes an ImplementationSpec.',
      description:
        'As `PUT /v1/objects/…`, which applies the other kinds: server-side apply with the field manager `agents-api`. The same request again changes nothing.',
      query: { kind: { ...kindParameter, enum: ['ImplementationSpec'] as const } },
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 },
        schema: {
          ...{ type: 'object', additionalProperties: false },
          required: ['name', 'namespace', 'spec'],
          properties: {
            kind: { type: 'string', enum: ['ImplementationSpec'] },
            ...{ name, namespace },
            spec: { type: 'object', description: 'The spec of the ImplementationSpec.' },
          },
        },
      },
      answers: { 200: { description: 'The object.', schema: resource } },
      handle: async ({ body, signal }, caller) => {
        const given = body as { name: string; namespace: string; spec: object }
        const path = pathOf({ ...given, kind: 'ImplementationSpec' })
        const object = appliedObject(kindOf('ImplementationSpec'), given.name, given.spec)
        const request = { operation: 'applyObject', path, body: object }
        const { json } = await call(caller, request, signal)
        return { json: { ok: true, resource: json } }
      },
    }),
    callerRoute({
      method: 'DELETE',
      path: `${base}/resource`,
      id: 'deleteResource',
      summary: 'Deletes an object.',
      description:
        'Asks the API server with the token of the caller. Finalizers decide when it is gone.',
      query: one,
      requiredQuery: oneRequired,
      answers: {
        200: {
          description: 'It is deleted, or will be when its finalizers are done.',
          schema: okSchema({}),
        },
      },
      handle: async ({ query, signal }, caller) => {
        await call(caller, { operation: 'deleteObject', path: pathOf(query) }, signal)
        return { json: { ok: true } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: `${base}/events`,
      id: 'listResourceEvents',
      summary: 'Lists the events of an object, newest first.',
      description:
        'Asks the API server with the token of the caller, who needs the right to list events.',
      query: {
        ...one,
        uid: { ...pathParameters.id, description: 'Only events of the object with this uid.' },
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: 200, default: 50 },
          description: 'How many at most.',
        },
      },
      requiredQuery: oneRequired,
      answers: {
        200: {
          description: 'The events.',
          schema: okSchema((eventPageSchema.properties ?? {}) as object as Record<string, unknown>),
        },
      },
      handle: async ({ query: { namespace: place, uid, limit, ...query }, signal }, caller) => {
        const kind = kindOf(query.kind)
        const selector = eventSelector(kind, query.name ?? '')
        const ofUid = uid === undefined ? '' : `,involvedObject.uid=${uid}`
        const fields = { fieldSelector: `${selector}${ofUid}` }
        const { items } = await callerClient.list(caller, EventKind, place, fields, signal)
        return { json: { ok: true, items: eventRecords(items, kind).slice(0, limit) } }
      },
    }),
  ]
}

interface Named {
  readonly kind: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

function pathOf({ kind, ...key }: Named) {
  return { kind: fullNameOf(kindOf(kind)), namespace: key.namespace, name: key.name }
}

interface ListQuestion {
  readonly namespace: string | undefined
  readonly labelSelector: string | undefined
  readonly phase: string | undefined
  readonly runtime: string | undefined
  readonly limit: number
}

interface ObjectPage {
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number }
  readonly items: readonly KubeObject[]
}

async function listed(
  call: CallOperation,
  caller: Caller,
  kind: KindRef,
  { namespace: place, labelSelector, phase, runtime, limit }: ListQuestion,
  signal: AbortSignal,
) {
  const page = async (more: object): Promise<ObjectPage> => {
    const path = { kind: fullNameOf(kind) }
    const query = { namespace: place, labelSelector, ...more }
    const request = { operation: 'listObjects', path, query }
    return (await call<ObjectPage>(caller, request, signal)).json
  }
  if (phase === undefined && runtime === undefined) {
    const { metadata, items } = await page({ limit })
    const total = items.length + (metadata.remainingItemCount ?? 0)
    return { total, truncated: Boolean(metadata.continue), items }
  }
  const found: KubeObject[] = []
  let next: string | undefined
  for (let count = 0; count < mostPages && found.length <= limit; count += 1) {
    const { metadata, items } = await page({ limit: pageSize, ...(next && { continue: next }) })
    found.push(...items.filter((each) => matches(each, phase, runtime)))
    next = metadata.continue || undefined
    if (next === undefined) break
  }
  const truncated = next !== undefined || found.length > limit
  return { total: found.length, truncated, items: found.slice(0, limit) }
}

function matches(
  object: KubeObject,
  phase: string | undefined,
  runtime: string | undefined,
): boolean {
  const { spec, status } = object as KubeObject & {
    readonly spec?: { readonly runtime?: { readonly type?: string } }
    readonly status?: { readonly phase?: string }
  }
  if (phase !== undefined && status?.phase !== phase) return false
  return runtime === undefined || spec?.runtime?.type === runtime
}

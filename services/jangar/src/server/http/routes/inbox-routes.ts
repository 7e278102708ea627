import { implementationSource } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { listOf, type MayDo } from '../../api/access/authorizer.ts'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import { type Deliveries, type Delivery, deliveryStates } from '../../inbox/deliveries.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import type { JsonSchema } from '../schema.ts'

interface InboxPorts {
  readonly deliveries: Deliveries | undefined
  readonly mayDo: MayDo
}

const sources = kindRef(implementationSource)
const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const

const deliverySchema: JsonSchema = {
  type: 'object',
  required: [
    ...['id', 'namespace', 'source', 'provider', 'event', 'subject', 'sizeBytes'],
    ...['state', 'attempts', 'receivedAt'],
  ],
  properties: {
    id: text,
    namespace: text,
    source: { ...text, description: 'The name of the ImplementationSource.' },
    provider: text,
    event: { ...text, description: 'As the sender calls it.' },
    deliveryId: { ...text, description: 'The identifier that the sender gave it.' },
    subject: { ...text, description: 'The issue or pull request.' },
    sizeBytes: { type: 'integer' },
    state: { ...text, enum: deliveryStates },
    attempts: { type: 'integer' },
    reason: { ...text, description: 'Why it is dead, why it waits, or why it started nothing.' },
    receivedAt: time,
    processedAt: time,
    nextAttemptAt: time,
  },
}
const pageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', items: deliverySchema },
    next: { ...text, description: 'The `before` of the next page, if there is one.' },
  },
}

/** Deliveries of issue trackers, for people. Their content is not shown. */
export function inboxRoutes({ deliveries, mayDo }: InboxPorts): readonly Route[] {
  const open = async (caller: Caller, namespace: string | undefined): Promise<Deliveries> => {
    if (!(await mayDo(caller, listOf(sources, namespace)))) {
      const place = namespace === undefined ? 'the cluster' : `namespace ${namespace}`
      const what = `list ${sources.kind}s in ${place}`
      throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
    }
    if (deliveries === undefined) {
      throw new ApiError('NotFound', 'there is no database, so no inbox')
    }
    return deliveries
  }
  const find = async (
    caller: Caller,
    { namespace = '', delivery = '' }: Readonly<Record<string, string>>,
  ): Promise<{ readonly inbox: Deliveries; readonly found: Delivery }> => {
    const inbox = await open(caller, namespace)
    const found = await inbox.find(namespace, delivery).catch(unavailable)
    if (found === undefined) {
      throw new ApiError('NotFound', `there is no delivery ${delivery} in namespace ${namespace}`)
    }
    return { inbox, found }
  }
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/inbox',
      id: 'listDeliveries',
      summary: 'Lists deliveries of issue trackers, newest first, without their content.',
      description:
        'Needs the right to list ImplementationSources in the namespace or, without one, in the cluster.',
      query: {
        namespace: { ...pathParameters.namespace, description: 'If omitted, all namespaces.' },
        source: { ...pathParameters.name, description: 'The name of the ImplementationSource.' },
        state: {
          ...{ type: 'string', enum: deliveryStates },
          description: '`waiting`, `done`, or `dead`: it failed and is not tried again.',
        },
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: 1000, default: 100 },
          description: 'Deliveries per page.',
        },
        before: { ...pathParameters.delivery, description: 'The `next` of the page before.' },
      },
      answers: { 200: { description: 'A page of deliveries.', schema: pageSchema } },
      handle: async ({ query }, caller) => {
        const inbox = await open(caller, query.namespace)
        const items = await inbox.list(query).catch(unavailable)
        const last = items.at(-1)
        const hasMore = last !== undefined && items.length === query.limit
        return { json: { items, ...(hasMore && { next: last.id }) } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/inbox/{namespace}/{delivery}',
      id: 'getDelivery',
      summary: 'Shows a delivery of an issue tracker, without its content.',
      description: 'Needs the right to list ImplementationSources in the namespace.',
      answers: { 200: { description: 'The delivery.', schema: deliverySchema } },
      handle: async ({ path }, caller) => ({ json: (await find(caller, path)).found }),
    }),
    callerRoute({
      method: 'POST',
      path: '/v1/inbox/{namespace}/{delivery}/replay',
      id: 'replayDelivery',
      summary: 'Lets a dead delivery be processed again.',
      description:
        'What it triggers is decided again, by the rights of whoever caused the event. Needs the right to list ImplementationSources in the namespace, and to update that of the delivery.',
      answers: { 200: { description: 'The delivery, which waits.', schema: deliverySchema } },
      handle: async ({ path }, caller) => {
        const { inbox, found } = await find(caller, path)
        const { namespace, source: name, id } = found
        if (!(await mayDo(caller, { ...listOf(sources, namespace), verb: 'update', name }))) {
          const what = `update ${sources.kind} ${name} in namespace ${namespace}`
          throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
        }
        if (!(await inbox.replay(namespace, id).catch(unavailable))) {
          throw new ApiError('Conflict', `delivery ${id} is not dead: only dead ones are replayed`)
        }
        return { json: (await find(caller, path)).found }
      },
    }),
  ]
}

function unavailable(cause: unknown): never {
  throw new ApiError('Unavailable', 'the inbox does not answer; try again', { cause })
}

import { parseJson, stringifyJson } from '@agents/kube'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { ApiError, apiErrorOf } from '../api/api-error.ts'
import type { Answer } from '../http/route.ts'
import type { CallRoute, RouteRequest } from '../http/route-caller.ts'
import { dataMessages } from './data-messages.ts'
import { readStream } from './event-messages.ts'
import type { AgentctlService } from './generated/proompteng/jangar/v1/agentctl_pb.ts'

type Service = ServiceImpl<typeof AgentctlService>

/** The methods that need the token of the server, not of a caller. */
export const serverMethods = ['getServerInfo', 'getControlPlaneStatus'] as const

type CallerMethods = Omit<Service, (typeof serverMethods)[number]>

interface CallerMethodPorts {
  /** Undefined while the HTTP API is not open. */
  readonly callRoute: () => CallRoute | undefined
  /** Why tokens of callers are not taken. Undefined if they are. */
  readonly refusal: string | undefined
}

/** What the HTTP API offers, each method as the operation of the same name. It decides what the caller may do. */
export function callerMethods({ callRoute, refusal }: CallerMethodPorts): CallerMethods {
  const call = async (context: HandlerContext, read: () => RouteRequest) => {
    if (refusal !== undefined) throw new ConnectError(refusal, Code.FailedPrecondition)
    const route = callRoute()
    if (route === undefined) {
      throw new ConnectError('the HTTP API is not enabled, or starts', Code.Unavailable)
    }
    const { method, requestHeader, signal } = context
    const authorization = requestHeader.get('authorization') ?? undefined
    return await route(authorization, method.localName, read, signal)
  }
  const json = async (
    context: HandlerContext,
    read: () => RouteRequest,
  ): Promise<{ json: string }> => {
    try {
      return { json: textOf(await call(context, read)).trimEnd() }
    } catch (error) {
      throw connectError(error)
    }
  }
  async function* bytes(context: HandlerContext, read: () => RouteRequest) {
    try {
      yield* dataMessages(chunksOf(await call(context, read)))
    } catch (error) {
      throw connectError(error)
    }
  }
  return {
    listRuns: (request, context) => json(context, () => ({ query: queryOf(request) })),
    getRun: ({ namespace, name, ...rest }, context) =>
      json(context, () => ({ path: { namespace, name }, query: queryOf(rest) })),
    submitRun: (request, context) =>
      json(context, () => {
        const { namespace, name, kind, labels, annotations, specJson, idempotencyKey } = request
        return {
          query: queryOf({ dryRun: request.dryRun }),
          headers: idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey },
          body: {
            ...{ namespace, ...given({ name, kind }) },
            ...(hasAny(labels) && { labels }),
            ...(hasAny(annotations) && { annotations }),
            spec: parsed('spec_json', specJson),
          },
        }
      }),
    cancelRun: ({ namespace, name, ...rest }, context) =>
      json(context, () => ({ path: { namespace, name }, query: queryOf(rest) })),
    repeatRun: ({ namespace, name, kind, steps }, context) =>
      json(context, () => ({
        path: { namespace, name },
        query: queryOf({ kind }),
        ...(steps.length > 0 && { body: { steps } }),
      })),
    waitForRun: ({ namespace, name, kind, timeoutSeconds }, context) =>
      json(context, () => {
        const query = queryOf({ kind })
        if (timeoutSeconds !== undefined) query.set('timeoutSeconds', String(timeoutSeconds))
        return { path: { namespace, name }, query }
      }),
    readLogs: ({ namespace, name, ...rest }, context) =>
      bytes(context, () => ({ path: { namespace, name }, query: queryOf(rest) })),
    async *readEvents({ lastEventId, ...rest }, context) {
      try {
        const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
        const answer = await call(context, () => ({ query: queryOf(rest), headers }))
        yield* readStream(chunksOf(answer))
      } catch (error) {
        throw connectError(error)
      }
    },
    listKinds: (_request, context) => json(context, () => ({})),
    listObjects: ({ kind, continueToken, ...rest }, context) =>
      json(context, () => ({
        path: { kind },
        query: queryOf({ ...rest, continue: continueToken }),
      })),
    getObject: ({ kind, namespace, name }, context) =>
      json(context, () => ({ path: { kind, namespace, name } })),
    listObjectEvents: ({ kind, namespace, name }, context) =>
      json(context, () => ({ path: { kind, namespace, name } })),
    applyObject: ({ kind, namespace, name, manifestJson, ...rest }, context) =>
      json(context, () => ({
        path: { kind, namespace, name },
        query: queryOf(rest),
        body: parsed('manifest_json', manifestJson),
      })),
    deleteObject: ({ kind, namespace, name }, context) =>
      json(context, () => ({ path: { kind, namespace, name } })),
    deliverSignal: ({ namespace, name, payloadJson, deliveryId }, context) =>
      json(context, () => ({
        path: { namespace, name },
        body: {
          ...(payloadJson !== '' && { payload: parsed('payload_json', payloadJson) }),
          ...given({ deliveryId }),
        },
      })),
    triggerSchedule: ({ namespace, name }, context) =>
      json(context, () => ({ path: { namespace, name } })),
    sumUsage: (request, context) => json(context, () => ({ query: queryOf(request) })),
    exportUsage: async (request, context) => {
      try {
        return { csv: textOf(await call(context, () => ({ query: queryOf(request) }))) }
      } catch (error) {
        throw connectError(error)
      }
    },
    listDeliveries: (request, context) => json(context, () => ({ query: queryOf(request) })),
    getDelivery: ({ namespace, delivery }, context) =>
      json(context, () => ({ path: { namespace, delivery } })),
    replayDelivery: ({ namespace, delivery }, context) =>
      json(context, () => ({ path: { namespace, delivery } })),
    listAudit: (request, context) => json(context, () => ({ query: queryOf(request) })),
    verifyAudit: (request, context) => json(context, () => ({ query: queryOf(request) })),
    exportArchive: (request, context) => bytes(context, () => ({ query: queryOf(request) })),
    importArchive: ({ namespace, lines }, context) =>
      json(context, () => ({ query: queryOf({ namespace }), content: lines })),
    getArtifactContent: ({ namespace, name }, context) =>
      bytes(context, () => ({ path: { namespace, name } })),
  }
}

type Field = string | number | bigint | boolean | readonly string[]

/** The fields that are set: in these messages, what is not set and what is empty are the same. */
function queryOf(fields: Readonly<Record<string, Field | object | undefined>>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith('$') || !value) continue
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each))
  }
  return query
}

function given(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

function hasAny(fields: object): boolean {
  return Object.keys(fields).length > 0
}

function parsed(field: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw notJson(field, error)
  }
}

function notJson(field: string, cause: unknown): ApiError {
  return new ApiError('BadRequest', `${field} is not JSON`, { cause })
}

function textOf(answer: Answer): string {
  if ('json' in answer) return stringifyJson(answer.json)
  if ('text' in answer) return answer.text
  throw new TypeError('the answer is not text')
}

function chunksOf(answer: Answer): AsyncIterable<string | Uint8Array> {
  if ('chunks' in answer) return answer.chunks
  throw new TypeError('the answer is not a stream')
}

/** What clients may see. The library would show the message of any other error. */
function connectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  const { message, grpcCode } = apiErrorOf(error)
  return new ConnectError(message, grpcCode)
}

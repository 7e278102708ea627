import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Caller } from '../../api/access/caller.ts'
import { apiErrorOf } from '../../api/api-error.ts'
import { checkBody } from '../check-body.ts'
import { namespaceIn, objectIn } from '../namespace-in.ts'
import type { NoteAct, NotedAct } from '../note-act.ts'
import type { Answer, Route } from '../route.ts'
import type { RouteCall } from './tools.ts'

export interface InvokePorts {
  readonly routes: readonly Route[]
  /** Undefined if nothing is recorded. */
  readonly noteAct: NoteAct | undefined
}

/** Calls a route as the caller, who is authenticated already. The call and its outcome are recorded in the audit. */
export async function invoke(
  ports: InvokePorts,
  caller: Caller,
  { operation, path = {}, query = {}, headers = {}, body }: RouteCall,
  signal: AbortSignal,
): Promise<Answer> {
  const route = ports.routes.find(({ id }) => id === operation)
  if (route?.access !== 'caller') throw new TypeError(`${operation} is not a route for callers`)
  const names = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, String(value)]))
  const act = {
    ...{ action: route.id, isChange: route.method !== 'GET', name: objectIn(names) },
    namespace: names.namespace ?? namespaceIn(query) ?? namespaceIn(body),
  }
  return await withAuditEntry(ports, caller, act, async () => {
    // As the server checks requests: a handler relies on it.
    checkBody(withoutUnset(query), { ...closed, properties: route.query ?? {} })
    if (body !== undefined) checkBody(body, route.body?.schema ?? { ...closed })
    const stream = Readable.from([])
    const request = { path: names, query, headers, body, stream, signal }
    return await route.handle(request, caller)
  })
}

/** Performs the act and records its outcome, under a request id of its own: the log stores one entry per id. */
export async function withAuditEntry(
  { noteAct }: Pick<InvokePorts, 'noteAct'>,
  { username }: Caller,
  act: NotedAct,
  perform: () => Promise<Answer>,
): Promise<Answer> {
  const id = randomUUID()
  try {
    const answer = await perform()
    await noteAct?.(act, username, answer.status ?? 200, id)
    return answer
  } catch (error) {
    await noteAct?.(act, username, apiErrorOf(error).httpStatus, id)
    throw error
  }
}

const closed = { type: 'object', additionalProperties: false }

function withoutUnset(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

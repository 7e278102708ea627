import { formatApiVersion, formatKey } from '@agents/kube'
import { listOf, type MayDo } from '../../../api/access/authorizer.ts'
import type { Caller } from '../../../api/access/caller.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { RunSource } from '../../../api/list-runs.ts'
import { needRunsOf } from '../../../api/need-runs.ts'
import { type EventForm, type EventPorts, readEvents } from '../../../api/read-events.ts'
import type { RunEvent } from '../../../api/run-events.ts'
import { type AnyRun, runKinds } from '../../../api/run-summary.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import type { ReadStatus } from '../../status-reader.ts'
import { eventStream, eventStreamAnswer } from '../event-stream.ts'
import { anyKind } from '../run-schemas.ts'
import { shownObject } from './kinds.ts'

interface StreamPorts extends EventPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  /** Undefined if the process does not know it. */
  readonly readStatus: ReadStatus | undefined
}

interface Place {
  readonly namespace: string
  readonly kind: string | undefined
}

/** How often a stream looks whether the status has changed. */
const statusMs = 15_000

/** The changes of runs in a namespace and the status of the control plane, by the path of the predecessor. */
export function predecessorStreamRoute(ports: StreamPorts): Route {
  return callerRoute({
    method: 'GET',
    path: '/api/agents/control-plane/stream',
    id: 'streamResources',
    summary: 'Changes of runs in a namespace, as server-sent events.',
    description:
      'The same changes as those of `GET /v1/events`, each as `{"type": "resource", "kind", "namespace", "action", "name", "resource"}`; beside them `{"type": "status", …}` and, if changes may be missing, `{"type": "error", …}`. A changed run is shown as it is when the event is sent. Needs the right to list runs in the namespace, which is reviewed again while the stream is open.',
    query: {
      namespace: pathParameters.namespace,
      kind: { ...anyKind, description: 'The kind of run. If omitted, all kinds.' },
    },
    requiredQuery: ['namespace'],
    ...eventStream,
    handle: async ({ query, headers, signal }, caller) => {
      const place = { namespace: query.namespace ?? '', kind: query.kind }
      await checkRight(ports.mayDo, caller, place)
      needRunsOf(place.namespace, ports.sources)
      const last = headers['last-event-id']
      return eventStreamAnswer(withStatus(ports, caller, place, last, signal))
    },
  })
}

/** An open stream that never shows anything would hide that a right is missing. */
async function checkRight(mayDo: MayDo, caller: Caller, { namespace, kind }: Place) {
  for (const each of runKinds.filter((one) => kind === undefined || one.kind === kind)) {
    if (await mayDo(caller, listOf(each, namespace))) return
  }
  const what = kind === undefined ? 'runs' : `${kind}s`
  throw new ApiError(
    'Forbidden',
    `${caller.username} may not list ${what} in namespace ${namespace}`,
  )
}

async function* withStatus(
  ports: StreamPorts,
  caller: Caller,
  { namespace, kind }: Place,
  last: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array, void> {
  const { clock } = ports
  let known = ''
  let readAt = Number.NEGATIVE_INFINITY
  const question = { namespace, kind, objects: false, last }
  for await (const chunk of readEvents(ports, caller, question, signal, formOf(ports, namespace))) {
    yield chunk
    if (clock.elapsed() - readAt < statusMs) continue
    readAt = clock.elapsed()
    const status = await visibleStatus(ports, caller, namespace)
    const text = JSON.stringify({ ...status, generated_at: undefined })
    if (status === undefined || text === known) continue
    known = text
    yield dataOf({ type: 'status', namespace, status })
  }
}

/** Undefined if the caller may not see it, or no longer, or nobody knows it. */
async function visibleStatus(
  { readStatus, mayDo }: StreamPorts,
  caller: Caller,
  namespace: string,
): Promise<object | undefined> {
  const [runs] = runKinds
  if (runs === undefined || !(await mayDo(caller, listOf(runs, namespace)))) return undefined
  return await readStatus?.(namespace).catch(() => undefined)
}

function formOf({ sources }: StreamPorts, namespace: string): EventForm {
  const message = 'changes may be missing: list the runs again'
  const lost = (cursor: string) => `id: ${cursor}\n${dataOf({ type: 'error', namespace, message })}`
  return {
    begin: (how, cursor) =>
      `retry: 1000\n${how === 'reset' ? lost(cursor) : `id: ${cursor}\n: ${how}\n\n`}`,
    change: (event) => `id: ${event.cursor}\n${dataOf(changeOf(sources, event))}`,
    lost,
  }
}

function changeOf(sources: readonly RunSource[], event: RunEvent): object {
  const { kind, namespace, name, uid, action } = event
  const source = sources.find(({ cache }) => cache.kind.kind === kind.kind)
  const run = source?.cache.get(formatKey({ namespace, name }))
  const isKnown = action !== 'DELETED' && run?.metadata.uid === uid
  const identity = { apiVersion: formatApiVersion(kind), kind: kind.kind }
  const resource = isKnown
    ? shownObject(kind, withoutManagers(run))
    : { ...identity, metadata: { namespace, name, uid } }
  return { type: 'resource', kind: kind.kind, namespace, action, name, resource }
}

/** They are most of an object, and no reader of events needs them. */
function withoutManagers(run: AnyRun): AnyRun {
  const { managedFields: _managers, ...metadata } = run.metadata as AnyRun['metadata'] & {
    readonly managedFields?: unknown
  }
  return { ...run, metadata }
}

function dataOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

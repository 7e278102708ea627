import type { Clock } from '@agents/controller'
import { listOf, type MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { type EventChunk, largestChunk, type RunEvent, type RunEvents } from './run-events.ts'

export interface EventPorts {
  readonly events: RunEvents
  readonly mayDo: MayDo
  /** Throws if the cluster no longer accepts the caller. */
  readonly review: (caller: Caller) => Promise<void>
  readonly clock: Clock
  /** How often an idle stream shows that it is alive, and the token is reviewed again. */
  readonly heartbeatMs?: number
}

interface EventQuestion {
  readonly namespace: string | undefined
  readonly kind: string | undefined
  /** Whether changes of other objects than runs are sent too. */
  readonly objects: boolean
  /** The cursor of the last event that the reader has seen. */
  readonly last: string | undefined
}

/** How a stream is written. */
export interface EventForm {
  /** `resumed` if the reader came back and nothing is missing, `reset` if something may be. */
  begin(how: 'ready' | 'resumed' | 'reset', cursor: string): string
  /** If omitted, as all readers share it. */
  change?(event: RunEvent): string
  /** The last of a stream whose reader is too slow. */
  lost(cursor: string): string
}

const ownForm: EventForm = {
  begin: (how, cursor) => `retry: 1000\nid: ${cursor}\nevent: ${how}\ndata: {}\n\n`,
  lost: (cursor) => `id: ${cursor}\nevent: reset\ndata: {}\n\n`,
}

/** A reader asks again after this time: asking for each change would cost more than the change. */
const rightMs = 1_000
const mostRights = 1_000
/** How soon a reader learns that changes of a further kind are known. */
const kindsMs = 2_000

/**
 * The changes that the caller may see, as server-sent events. Ends when the cluster no longer accepts the token, and
 * with `reset` when the reader is so slow that changes were dropped.
 */
export async function* readEvents(
  { events, mayDo, review, clock, heartbeatMs = 15_000 }: EventPorts,
  caller: Caller,
  question: EventQuestion,
  signal: AbortSignal,
  form = ownForm,
): AsyncGenerator<string | Uint8Array, void> {
  const { namespace, kind, objects, last } = question
  const known = last === undefined ? events.end : events.positionOf(last, question)
  let position = known ?? events.end
  const name = last === undefined ? 'ready' : known === undefined ? 'reset' : 'resumed'
  yield form.begin(name, events.cursorOf(position))
  let reviewedAt = clock.elapsed()
  const rights = new Map<string, { readonly isGiven: boolean; readonly until: number }>()
  const mayList = async (event: RunEvent): Promise<boolean> => {
    const key = `${event.kind.kind}/${event.namespace}`
    const found = rights.get(key)
    if (found !== undefined && clock.elapsed() < found.until) return found.isGiven
    const isGiven = await mayDo(caller, listOf(event.kind, event.namespace))
    if (rights.size >= mostRights) rights.clear()
    rights.set(key, { isGiven, until: clock.elapsed() + rightMs })
    return isGiven
  }
  const isSeen = async (event: RunEvent): Promise<boolean> =>
    (event.isRun || objects) && isWanted(event, namespace, kind) && (await mayList(event))
  const isWhole = async ({ samples }: EventChunk): Promise<boolean> => {
    for (const sample of samples) if (!(await isSeen(sample))) return false
    return true
  }
  const waiter = events.waiter(signal)
  let sentKinds: string | undefined
  let pause = heartbeatMs
  while (!signal.aborted) {
    if (objects) {
      const { names, areAll } = events.kinds
      pause = areAll ? heartbeatMs : Math.min(kindsMs, heartbeatMs)
      if (names.join() !== sentKinds) {
        sentKinds = names.join()
        yield `event: kinds\ndata: ${JSON.stringify(names)}\n\n`
      }
    }
    if (clock.elapsed() - reviewedAt >= heartbeatMs) {
      // Throws if the token was revoked or has expired, which ends the stream.
      await review(caller)
      reviewedAt = clock.elapsed()
    }
    if (!events.isKept(position, question)) {
      yield form.lost(events.cursorOf(events.end))
      return
    }
    const shared = form.change === undefined ? events.chunkAfter(position, question) : undefined
    if (shared !== undefined && (await isWhole(shared))) {
      position = shared.end
      yield shared.bytes
      continue
    }
    let chunk = ''
    for (;;) {
      const next = events.after(position, question)
      // Past what this reader does not want, which would otherwise be new to it for ever.
      position = next === undefined ? events.end : next.position + 1
      if (next === undefined) break
      if (await isSeen(next)) chunk += form.change?.(next) ?? next.text
      if (chunk.length >= largestChunk || !events.isKept(position, question)) break
    }
    if (chunk !== '') {
      yield chunk
      continue
    }
    const before = clock.elapsed()
    await waiter.wait(position, pause)
    if (!signal.aborted && clock.elapsed() - before >= pause) yield ': alive\n\n'
  }
}

function isWanted(
  event: RunEvent,
  namespace: string | undefined,
  kind: string | undefined,
): boolean {
  if (namespace !== undefined && event.namespace !== namespace) return false
  return kind === undefined || event.kind.kind === kind
}

import { type ApiClient, textOf } from './api-client.ts'
import { ApiFailure } from './api-failure.ts'
import { EventParser, type ServerEvent } from './event-parser.ts'
import type { ObjectChange, RunChange } from './records.ts'

/** Whether changes arrive, and if not, why. */
export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly reason: string; readonly retryAt: number }
  /** The server does not accept who is asking; it is not asked again. */
  | { readonly state: 'refused'; readonly failure: ApiFailure }

export interface EventListener {
  /** Changes that arrived together. */
  onChanges(changes: readonly RunChange[]): void
  /** Changes of other objects that arrived together. */
  onObjects(changes: readonly ObjectChange[]): void
  /** Those whose changes are reported from now on. */
  onKinds(kinds: readonly string[]): void
  /** What was listed before may be incomplete: list it again. Called at the start as well. */
  onReset(): void
  onState(state: StreamState): void
}

interface FollowOptions {
  /** An idle stream shows that it is alive every 15 seconds. */
  readonly silenceMs?: number
  readonly longestPauseMs?: number
}

/** Follows `/v1/events` until the signal is aborted: reconnects, and continues after the last event. */
export async function followEvents(
  client: ApiClient,
  listener: EventListener,
  signal: AbortSignal,
  { silenceMs = 40_000, longestPauseMs = 10_000 }: FollowOptions = {},
): Promise<void> {
  let lastId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    const attempt = new AbortController()
    const silence = new Alarm(silenceMs, () => attempt.abort(new Error('the stream is silent')))
    let reason = 'the server has ended the stream'
    try {
      listener.onState({ state: 'connecting' })
      const response = await client.send('GET', '/v1/events', {
        query: { objects: true },
        headers: lastId === undefined ? {} : { 'last-event-id': lastId },
        signal: AbortSignal.any([signal, attempt.signal]),
      })
      const parser = new EventParser()
      for await (const piece of textOf(response)) {
        silence.restart()
        const events = parser.push(piece)
        lastId = events.at(-1)?.id ?? lastId
        if (events.some(({ name }) => name === 'ready' || name === 'reset')) listener.onReset()
        if (events.some(({ name }) => name !== 'change' && name !== 'object')) {
          failures = 0
          listener.onState({ state: 'live' })
        }
        const kinds = events.findLast(({ name }) => name === 'kinds')
        if (kinds !== undefined) listener.onKinds(JSON.parse(kinds.data))
        const changes = dataOf<RunChange>(events, 'change')
        if (changes.length > 0) listener.onChanges(changes)
        const objects = dataOf<ObjectChange>(events, 'object')
        if (objects.length > 0) listener.onObjects(objects)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiFailure && (error.status === 401 || error.status === 403)) {
        listener.onState({ state: 'refused', failure: error })
        return
      }
      reason = error instanceof ApiFailure ? error.message : 'the connection is lost'
    } finally {
      silence.stop()
      attempt.abort()
    }
    if (signal.aborted) return
    // Soon at first, and not all pages in the same moment after a restart of the server.
    const pause = Math.min(longestPauseMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2)
    failures += 1
    listener.onState({ state: 'lost', reason, retryAt: Date.now() + pause })
    await pauseFor(pause, signal)
  }
}

function dataOf<T>(events: readonly ServerEvent[], wanted: string): readonly T[] {
  return events.filter(({ name }) => name === wanted).map(({ data }) => JSON.parse(data) as T)
}

/** Calls back when it was not restarted in time. */
class Alarm {
  readonly #milliseconds: number
  readonly #ring: () => void
  #timer: ReturnType<typeof setTimeout>

  constructor(milliseconds: number, ring: () => void) {
    this.#milliseconds = milliseconds
    this.#ring = ring
    this.#timer = setTimeout(ring, milliseconds)
  }

  restart(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#ring, this.#milliseconds)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

async function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

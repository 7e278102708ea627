import {
  type ApiClient,
  followEvents,
  type ObjectChange,
  type RunChange,
  type RunSummary,
  type StreamState,
} from '@agents/client'
import { fullNameOf, runKindNames } from '../parts/run-kinds.ts'
import type { RunOverlay } from './merge-runs.ts'

/** Changes that arrive within this time are shown together, so that a page can follow any number of them. */
const batchMs = 100

/** A stream that heals within this time is not worth a message. */
const quietMs = 700

interface LiveListener {
  /** What was listed before may be incomplete. */
  onReset(): void
  /** Objects of the kind were changed. */
  onKind(kind: string): void
}

/** What `/v1/events` has reported since the page was opened. */
export class LiveRuns {
  readonly #client: ApiClient
  readonly #listeners = new Set<() => void>()
  readonly #listener: LiveListener
  #kinds: ReadonlySet<string> = new Set()
  #overlay: RunOverlay = new Map()
  #waiting = new Map<string, RunSummary | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #state: StreamState = { state: 'connecting' }
  #shownState: StreamState = this.#state
  #stateTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: ApiClient, listener: LiveListener) {
    this.#client = client
    this.#listener = listener
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly overlay = (): RunOverlay => this.#overlay

  /** Whether changes of the kind arrive. */
  readonly isLive = (kind: string): boolean => this.#state.state === 'live' && this.#kinds.has(kind)

  readonly state = (): StreamState => this.#shownState

  async follow(signal: AbortSignal): Promise<void> {
    await followEvents(
      this.#client,
      {
        onChanges: (changes) => this.#take(changes),
        onObjects: (changes) => this.#note(changes),
        onKinds: (kinds) => this.#setKinds(kinds),
        onReset: () => this.#reset(),
        onState: (state) => this.#setState(state),
      },
      signal,
    )
    // The next one who signs in here may not be allowed to see these.
    this.#forget()
    this.#tell()
  }

  #take(changes: readonly RunChange[]): void {
    for (const { type, run } of changes) {
      this.#waiting.set(run.uid, type === 'DELETED' ? undefined : run)
      this.#listener.onKind(fullNameOf(run.kind))
    }
    this.#timer ??= setTimeout(() => this.#show(), batchMs)
  }

  #note(changes: readonly ObjectChange[]): void {
    for (const kind of new Set(changes.map(({ object }) => object.kind)))
      this.#listener.onKind(kind)
  }

  #setKinds(kinds: readonly string[]): void {
    const before = this.#kinds
    this.#kinds = new Set([...kinds, ...runKindNames])
    // What was changed before the kind was watched is not reported.
    for (const kind of this.#kinds.difference(before)) this.#listener.onKind(kind)
    this.#tell()
  }

  #show(): void {
    this.#timer = undefined
    this.#overlay = new Map([...this.#overlay, ...this.#waiting])
    this.#waiting = new Map()
    this.#tell()
  }

  #reset(): void {
    this.#forget()
    this.#listener.onReset()
    this.#tell()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = new Map()
    this.#overlay = new Map()
  }

  #setState(state: StreamState): void {
    const before = this.#state
    // The attempts of a lost stream are no news.
    if (state.state === 'connecting' && before.state === 'lost') return
    this.#state = state
    clearTimeout(this.#stateTimer)
    // Pages ask again as soon as changes no longer arrive.
    if (state.state !== before.state) this.#tell()
    const pause = state.state === 'lost' && before.state === 'live' ? quietMs : 0
    this.#stateTimer = setTimeout(() => {
      this.#shownState = state
      this.#tell()
    }, pause)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

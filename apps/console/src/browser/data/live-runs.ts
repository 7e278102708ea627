import {
  type ApiClient,
  followEvents,
  type RunChange,
  type RunSummary,
  type StreamState,
} from '@agents/client'
import type { RunOverlay } from './merge-runs.ts'

/** Changes that arrive within this time are shown together, so that a page can follow any number of them. */
const batchMs = 100

/** A stream that heals within this time is not worth a message. */
const quietMs = 700

/** What `/v1/events` has reported since the page was opened. */
export class LiveRuns {
  readonly #client: ApiClient
  readonly #listeners = new Set<() => void>()
  readonly #onReset: () => void
  #overlay: RunOverlay = new Map()
  #waiting = new Map<string, RunSummary | undefined>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #state: StreamState = { state: 'connecting' }
  #shownState: StreamState = this.#state
  #stateTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: ApiClient, onReset: () => void) {
    this.#client = client
    this.#onReset = onReset
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly overlay = (): RunOverlay => this.#overlay

  readonly state = (): StreamState => this.#shownState

  async follow(signal: AbortSignal): Promise<void> {
    await followEvents(
      this.#client,
      {
        onChanges: (changes) => this.#take(changes),
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
    }
    this.#timer ??= setTimeout(() => this.#show(), batchMs)
  }

  #show(): void {
    this.#timer = undefined
    this.#overlay = new Map([...this.#overlay, ...this.#waiting])
    this.#waiting = new Map()
    this.#tell()
  }

  #reset(): void {
    this.#forget()
    this.#onReset()
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

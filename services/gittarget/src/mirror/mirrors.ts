import type { Clock, Source } from '@agents/controller'
import { canonicalUrl, type PushTimes } from '@agents/git'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { BranchWriters, Writer, WriterSettings } from './branch-writers.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { MirrorState } from './mirror-state.ts'
import type { Selection } from './selection.ts'
import type { StreamPool } from './stream-pool.ts'
import { TargetMirror } from './target-mirror.ts'

export interface MirrorsOptions {
  readonly pool: StreamPool
  readonly writers: BranchWriters
  readonly clock: Clock
  readonly log: Logger
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
}

/** Where a target writes. Another place is another mirror. */
export interface MirrorPlace {
  readonly writer: WriterSettings
  /** Without slashes around it; empty for the root. */
  readonly folder: string
}

interface Entry {
  readonly mirror: TargetMirror
  readonly writer: Writer
  readonly place: string
  readonly repository: string
  /** Ends one that is paused for too long. */
  cancelEnd: () => void
}

/** A push a second is as often as anybody wants to hear of a target. */
const TELL_MS = 1_000
/** A Secret that is replaced is back sooner; one that stays away is not worth the streams. */
const MOST_PAUSED_MS = 600_000

/** The mirrors of all targets, by `namespace/name`, and the news of them. */
export class Mirrors {
  readonly #options: MirrorsOptions
  readonly #entries = new Map<string, Entry>()
  readonly #ensuring = new Map<string, Promise<void>>()
  readonly #listeners = new Set<(key: string) => void>()
  readonly #told = new Map<string, number>()
  readonly #telling = new Map<string, () => void>()

  constructor(options: MirrorsOptions) {
    this.#options = options
  }

  /** Undefined while it is paused. */
  state(key: string): MirrorState | undefined {
    const mirror = this.#entries.get(key)?.mirror
    return mirror?.isPaused ? undefined : mirror?.state
  }

  /** The repository, however its URL is spelled, that a target's mirror writes to, or will again after a pause. */
  repositoryOf(key: string): string | undefined {
    return this.#entries.get(key)?.repository
  }

  /** Of all targets that have a mirror now, but for those that are paused. */
  *states(): Iterable<readonly [key: string, state: MirrorState]> {
    for (const key of this.#entries.keys()) {
      const state = this.state(key)
      if (state !== undefined) yield [key, state]
    }
  }

  /** Starts the mirror of a target, or brings it up to date. */
  async ensure(key: string, place: MirrorPlace, settings: MirrorSettings): Promise<void> {
    const ensuring = this.#ensure(key, place, settings)
    const settled = ensuring
      .catch(() => undefined)
      .finally(() => {
        if (this.#ensuring.get(key) === settled) this.#ensuring.delete(key)
      })
    this.#ensuring.set(key, settled)
    await ensuring
  }

  async #ensure(key: string, place: MirrorPlace, settings: MirrorSettings): Promise<void> {
    const known = this.#entries.get(key)
    const { provider, connection, branch } = place.writer
    const name = JSON.stringify([provider, connection.url, branch, place.folder])
    if (known?.place === name) {
      await known.writer.update(place.writer)
      const uid = await known.writer.uid()
      // One that was paused may have come to its end meanwhile.
      if (this.#entries.get(key) === known) {
        known.cancelEnd()
        await known.mirror.configure(settings, uid)
        return
      }
    }
    await this.#end(key, 0)
    const { pool, clock, log, tracer, writers } = this.#options
    const { folder, writer: writerSettings } = place
    const options = { target: key, branch: writerSettings.branch, folder, pool, clock, log, tracer }
    const onChange = (): void => this.#tell(key)
    const mirror = new TargetMirror({ ...options, onChange }, settings)
    const listener = {
      onForeignChange: () => mirror.foreignChange(),
      onReplaced: () => mirror.workerReplaced(),
      onPushed: (times: PushTimes) => mirror.pushed(times),
      onState: () => void mirror.workerState().catch(() => undefined),
    }
    const writer = await writers.acquire(writerSettings, listener).catch(async (error: unknown) => {
      await mirror.stop(0)
      throw error
    })
    const repository = canonicalUrl(connection.url)
    const cancelEnd = (): void => undefined
    this.#entries.set(key, { mirror, writer, place: name, repository, cancelEnd })
    await mirror.start(writer)
  }

  /**
   * Lets the mirror of a target write no more until it is ensured again. What happens meanwhile is not forgotten, so that deletions
   * are not lost on a target that deletes what it has seen to go. Only what these choose is watched; undefined: what was before.
   */
  async pause(key: string, selections: readonly Selection[] | undefined): Promise<void> {
    await this.#ensuring.get(key)
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    const isNew = !entry.mirror.isPaused
    entry.mirror.pause(selections)
    if (!isNew) return
    entry.cancelEnd = this.#options.clock.after(MOST_PAUSED_MS, () => {
      void this.#end(key, 0).catch(() => undefined)
    })
  }

  /** Ends the mirror of a target, also one that is just being started. Its files stay. */
  async stop(key: string, flushMs: number): Promise<void> {
    await this.#ensuring.get(key)
    await this.#end(key, flushMs)
  }

  async #end(key: string, flushMs: number): Promise<void> {
    const entry = this.#entries.get(key)
    this.#entries.delete(key)
    this.#told.delete(key)
    this.#telling.get(key)?.()
    this.#telling.delete(key)
    entry?.cancelEnd()
    await entry?.mirror.stop(flushMs)
  }

  async stopAll(flushMs: number): Promise<void> {
    const keys = new Set([...this.#entries.keys(), ...this.#ensuring.keys()])
    await Promise.all([...keys].map((key) => this.stop(key, flushMs)))
  }

  onChange(listener: (key: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Looks at whom `toKeys` names when there is news of a target. */
  source(name: string, toKeys: (target: string) => Iterable<string>): Source {
    return {
      name,
      start: (enqueue) => {
        const remove = this.onChange((target) => {
          for (const key of toKeys(target)) enqueue(key)
        })
        return { hasSynced: () => true, remove }
      },
    }
  }

  /** Until the state is such, or the time is over; then whatever it is. */
  async until(
    key: string,
    holds: (state: MirrorState | undefined) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<MirrorState | undefined> {
    if (timeoutMs <= 0 || holds(this.state(key))) return this.state(key)
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel()
        remove()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.#options.clock.after(timeoutMs, end)
      const remove = this.#onEvery((changed) => {
        if (changed === key && holds(this.state(key))) end()
      })
      signal.addEventListener('abort', end, { once: true })
    })
    return this.state(key)
  }

  readonly #immediate = new Set<(key: string) => void>()

  #onEvery(listener: (key: string) => void): () => void {
    this.#immediate.add(listener)
    return () => this.#immediate.delete(listener)
  }

  #tell(key: string): void {
    for (const listener of [...this.#immediate]) listener(key)
    if (this.#telling.has(key)) return
    const { clock } = this.#options
    const wait = (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) + TELL_MS - clock.elapsed()
    if (wait <= 0) {
      this.#tellNow(key)
      return
    }
    const cancel = clock.after(wait, () => {
      this.#telling.delete(key)
      this.#tellNow(key)
    })
    this.#telling.set(key, cancel)
  }

  #tellNow(key: string): void {
    this.#told.set(key, this.#options.clock.elapsed())
    for (const listener of [...this.#listeners]) listener(key)
  }
}

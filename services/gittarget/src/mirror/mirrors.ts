import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Source } from '@agents/controller'
import { canonicalUrl, type PushTimes } from '@agents/git'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { UserOfChange } from './authors/change-authors.ts'
import type { BranchWriters, Writer, WriterSettings } from './branch/branch-writers.ts'
import { DeletionJournal } from './deletions/deletion-journal.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { MirrorState } from './mirror-state.ts'
import { type PreviousMirror, previousOf, type RecordedMirror } from './previous-mirror.ts'
import type { Selection } from './selection/selection.ts'
import type { StreamPool } from './stream/stream-pool.ts'
import { TargetMirror } from './target-mirror.ts'

interface MirrorsOptions {
  readonly pool: StreamPool
  readonly writers: BranchWriters
  readonly clock: Clock
  readonly log: Logger
  /** For journals of deletions, one file per target. */
  readonly stateDir: string
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Finds the users of changes. If omitted, authors are field managers. */
  readonly userOf?: UserOfChange | undefined
}

/** Where a target writes. A target with another location gets another mirror. */
interface MirrorLocation {
  /** UID of the target. */
  readonly uid: string
  readonly writer: WriterSettings
  /** Without leading and trailing slashes; empty for the root. */
  readonly folder: string
}

interface Entry {
  readonly mirror: TargetMirror
  readonly writer: Writer
  readonly location: string
  readonly repository: string
  /** Cancels the end of a mirror that is paused for too long. */
  cancelEnd: () => void
}

/** Listeners are notified of a target at most once per interval. */
const notifyIntervalMs = 1_000
/** A Secret that is being replaced exists again sooner; after this time the streams are released. */
const maxPauseMs = 600_000

/** The mirrors of all targets, by `namespace/name`, with notifications of their changes. */
export class Mirrors {
  readonly #options: MirrorsOptions
  readonly #entries = new Map<string, Entry>()
  readonly #ensuring = new Map<string, Promise<void>>()
  /** What earlier mirrors of this process knew, by target and location. Has each target that had a mirror. */
  readonly #previous = new Map<string, Map<string, PreviousMirror | undefined>>()
  readonly #listeners = new Set<(key: string) => void>()
  readonly #notifiedAt = new Map<string, number>()
  readonly #pendingNotifications = new Map<string, () => void>()

  constructor(options: MirrorsOptions) {
    this.#options = options
  }

  /** Undefined if the target has no mirror, or it is paused. */
  state(key: string): MirrorState | undefined {
    const mirror = this.#entries.get(key)?.mirror
    return mirror?.isPaused ? undefined : mirror?.state
  }

  /** State of a target's mirror, also while it is paused: its streams still report deletions. */
  lastState(key: string): MirrorState | undefined {
    return this.#entries.get(key)?.mirror.state
  }

  /** Canonical URL of the repository that a target's mirror writes to, also while it is paused. */
  repositoryOf(key: string): string | undefined {
    return this.#entries.get(key)?.repository
  }

  /** Whether the mirror of a target has pushed since it was started. */
  hasPushed(key: string): boolean {
    return this.#entries.get(key)?.mirror.state.push.lastPushTime !== undefined
  }

  /** States of all mirrors that are not paused. */
  *states(): Iterable<readonly [key: string, state: MirrorState]> {
    for (const key of this.#entries.keys()) {
      const state = this.state(key)
      if (state !== undefined) yield [key, state]
    }
  }

  /** Starts the mirror of a target, or updates its settings. */
  async ensure(
    key: string,
    location: MirrorLocation,
    settings: MirrorSettings,
    recorded?: RecordedMirror,
  ): Promise<void> {
    const ensuring = this.#ensure(key, location, settings, recorded)
    const settled = ensuring
      .catch(() => undefined)
      .finally(() => {
        if (this.#ensuring.get(key) === settled) this.#ensuring.delete(key)
      })
    this.#ensuring.set(key, settled)
    await ensuring
  }

  async #ensure(
    key: string,
    location: MirrorLocation,
    settings: MirrorSettings,
    recorded: RecordedMirror | undefined,
  ): Promise<void> {
    const running = this.#entries.get(key)
    const { provider, connection, branch } = location.writer
    const { folder, uid: targetUid } = location
    const name = JSON.stringify([provider, connection.url, branch, folder, targetUid])
    if (running?.location === name) {
      await running.writer.update(location.writer)
      const uid = await running.writer.uid()
      // A paused mirror may have been stopped meanwhile.
      if (this.#entries.get(key) === running) {
        running.cancelEnd()
        await running.mirror.configure(settings, uid)
        return
      }
    }
    await this.#end(key, 0)
    const { pool, clock, log, tracer, userOf, writers } = this.#options
    const { writer: writerSettings } = location
    // The status describes the mirror of an earlier process only until this process has started its own.
    const known = this.#previous.get(key)
    const previous = known === undefined ? previousOf(recorded) : known.get(name)
    // A mirror that cannot be started leaves it to the next one.
    this.#remember(key, name, previous)
    const deletions = new DeletionJournal({
      file: this.#journalOf(key),
      owner: digest(name),
      fallback: (known === undefined ? recorded : previous?.recorded)?.deletions ?? [],
      log,
    })
    await deletions.open()
    const options = {
      ...{ target: key, branch, folder, pool, clock, log, tracer, userOf },
      ...{ deletions, previous },
    }
    const onChange = (): void => this.#notify(key)
    const mirror = new TargetMirror({ ...options, onChange }, settings)
    const listener = {
      onForeignChange: () => mirror.compareAgain(),
      onReplaced: () => mirror.compareAgain(),
      onPushed: (times: PushTimes) => mirror.pushed(times),
      onState: () => void mirror.workerState().catch(() => undefined),
    }
    const writer = await writers.acquire(writerSettings, listener).catch(async (error: unknown) => {
      await mirror.stop(0)
      throw error
    })
    const repository = canonicalUrl(connection.url)
    const cancelEnd = (): void => undefined
    this.#entries.set(key, { mirror, writer, location: name, repository, cancelEnd })
    await mirror.start(writer)
  }

  /**
   * Stops writing until `ensure` is called again. The streams stay open, so that deletions are not missed by a target
   * that deletes on events. Only `selections` are watched; undefined keeps the current ones.
   */
  async pause(key: string, selections: readonly Selection[] | undefined): Promise<void> {
    await this.#ensuring.get(key)
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    const isNew = !entry.mirror.isPaused
    entry.mirror.pause(selections)
    if (!isNew) return
    entry.cancelEnd = this.#options.clock.after(maxPauseMs, () => {
      void this.#end(key, 0).catch(() => undefined)
    })
  }

  /** Ends the mirror of a target, also one that is just being started. Its files stay. */
  async stop(key: string, flushMs: number): Promise<void> {
    await this.#ensuring.get(key)
    await this.#end(key, flushMs)
  }

  /** Ends the mirror of a deleted target, and forgets its pending deletions. */
  async forget(key: string): Promise<void> {
    await this.stop(key, 0)
    if (this.#entries.has(key) || this.#ensuring.has(key)) return
    this.#previous.delete(key)
    // At once, so that the journal of a target that is created again is not removed.
    rmSync(this.#journalOf(key), { force: true })
  }

  #journalOf(key: string): string {
    return join(this.#options.stateDir, 'deletions', `${digest(key).slice(0, 32)}.jsonl`)
  }

  #remember(key: string, location: string, previous: PreviousMirror | undefined): void {
    const known = this.#previous.get(key) ?? new Map()
    this.#previous.set(key, known.set(location, previous))
  }

  async #end(key: string, flushMs: number): Promise<void> {
    const entry = this.#entries.get(key)
    // Before anything is awaited, because the next mirror may be started meanwhile.
    if (entry !== undefined) this.#remember(key, entry.location, entry.mirror.handOver())
    this.#entries.delete(key)
    this.#notifiedAt.delete(key)
    this.#pendingNotifications.get(key)?.()
    this.#pendingNotifications.delete(key)
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

  /** Requeues the keys that `toKeys` returns when the state of a target changes. */
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

  /** Waits until the state satisfies `holds` or the timeout expires, and returns the state. */
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

  #notify(key: string): void {
    for (const listener of [...this.#immediate]) listener(key)
    if (this.#pendingNotifications.has(key)) return
    const { clock } = this.#options
    const wait =
      (this.#notifiedAt.get(key) ?? Number.NEGATIVE_INFINITY) + notifyIntervalMs - clock.elapsed()
    if (wait <= 0) {
      this.#notifyNow(key)
      return
    }
    const cancel = clock.after(wait, () => {
      this.#pendingNotifications.delete(key)
      this.#notifyNow(key)
    })
    this.#pendingNotifications.set(key, cancel)
  }

  #notifyNow(key: string): void {
    this.#notifiedAt.set(key, this.#options.clock.elapsed())
    for (const listener of [...this.#listeners]) listener(key)
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

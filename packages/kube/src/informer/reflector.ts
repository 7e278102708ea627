import type { KubeClient } from '../client/kube-client.ts'
import type { View } from '../client/list-options.ts'
import { sleep } from '../clock/clock.ts'
import { formatKey, type KindRef } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import { isDefinite } from '../resource-version.ts'
import {
  isBadAnswer,
  isBadRequest,
  isExpired,
  isInternalError,
  isInvalid,
  isNotFound,
  isRevisionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnreachable,
  KubeError,
  unreachable,
} from '../transport/kube-error.ts'
import type { WatchEvent } from '../watch/watch-event.ts'
import type { WatchStream } from '../watch/watch-stream.ts'
import { type BackoffOptions, createBackoff } from './backoff.ts'

/** Receives what a reflector reads. Every call moves from one state of the server to a later one. */
interface ReflectorSink<T extends KubeObject> {
  /** Converts each received object to the form in which it is kept. */
  prepare(object: T): T
  replace(objects: Iterable<T>, revision: string): void
  put(object: T): void
  remove(object: T): void
  /** All changes up to this revision have been delivered. */
  reached(revision: string): void
  /** An error that will be retried. */
  failed(error: unknown, action: 'list' | 'watch'): void
}

interface ReflectorOptions {
  readonly backoff: BackoffOptions
  readonly pageSize: number
  /** Fetches the initial state by a watch if the server supports it. */
  readonly watchList: boolean
  /** The server is asked to end a watch after a random time between this and twice this. */
  readonly watchSeconds: number
  /** The server counts as hung after this long without data beyond the longest duration of a watch. */
  readonly idleSlackMs: number
  /** After this long without data during the initial state, the state is listed instead. */
  readonly initialIdleMs: number
  readonly maxLineBytes: number
}

/** A watch that ends sooner than this without events counts as failed. */
const shortWatchMs = 1_000
/** Internal errors of the server within this time do not cause a new list. */
const internalErrorMs = 60_000
const listRetries = 3

/** Keeps a sink up to date with the objects of a kind until the signal is aborted. */
export async function reflect<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  scope: View,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector(client, kind, scope, sink, options, signal)
  const backoff = createBackoff(options.backoff, client)
  while (!signal.aborted) {
    try {
      await reflector.round()
    } catch (error) {
      if (signal.aborted) return
      reflector.learnFrom(error)
      await sleep(client.clock, backoff.next(), signal)
    }
  }
}

class Reflector<T extends KubeObject> {
  readonly #client: KubeClient
  readonly #kind: KindRef<T>
  readonly #scope: View
  readonly #sink: ReflectorSink<T>
  readonly #options: ReflectorOptions
  readonly #signal: AbortSignal
  /** The version that the next watch starts from. Undefined: the whole state is fetched first. */
  #position: string | undefined
  /** The oldest acceptable version of the next list. Empty: the current one. Undefined: there was no list yet. */
  #floor: string | undefined
  #useWatchList: boolean
  #internalErrorsSince: number | undefined
  #action: 'list' | 'watch' = 'list'

  constructor(
    client: KubeClient,
    kind: KindRef<T>,
    scope: View,
    sink: ReflectorSink<T>,
    options: ReflectorOptions,
    signal: AbortSignal,
  ) {
    this.#client = client
    this.#kind = kind
    this.#scope = scope
    this.#sink = sink
    this.#options = options
    this.#signal = signal
    this.#useWatchList = options.watchList
  }

  /** Fetches the whole state if needed, and then follows one watch to its end. */
  async round(): Promise<void> {
    if (this.#position === undefined) {
      this.#action = 'list'
      if (await this.#streamState()) return
      await this.#listState()
    }
    this.#action = 'watch'
    await this.#watchOn()
  }

  /** Decides how to continue after an error. */
  learnFrom(error: unknown): void {
    this.#sink.failed(error, this.#action)
    if (!isInternalError(error)) this.#internalErrorsSince = undefined
    if (isRevisionTooLarge(error)) {
      this.#startOver('')
    } else if (isExpired(error)) {
      // An expired list can only be replaced by a current one.
      this.#startOver(this.#action === 'list' ? '' : (this.#floor ?? ''))
    } else if (this.#action === 'watch' && this.#isFatalToWatch(error)) {
      this.#startOver('')
    }
  }

  #startOver(floor: string): void {
    this.#position = undefined
    this.#floor = floor
  }

  #isFatalToWatch(error: unknown): boolean {
    if (isBadAnswer(error) || isInvalid(error) || isBadRequest(error) || isNotFound(error)) {
      return true
    }
    if (!isInternalError(error)) return false
    const now = this.#client.clock.elapsed()
    this.#internalErrorsSince ??= now
    return now - this.#internalErrorsSince > internalErrorMs
  }

  /** Fetches the whole state as the beginning of a watch. Resolves with false if it has to be listed instead. */
  async #streamState(): Promise<boolean> {
    if (!this.#useWatchList) return false
    const begun = this.#client.clock.elapsed()
    let opened = false
    try {
      const stream = await this.#open({
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        resourceVersion: this.#floor ?? '',
        idleMs: this.#options.initialIdleMs,
      })
      opened = true
      await this.#follow(stream, new Map(), begun)
      return true
    } catch (error) {
      if (this.#action === 'watch' || this.#signal.aborted) throw error
      if (isRevisionTooLarge(error) || isTooManyRequests(error)) throw error
      if (!opened && (isUnreachable(error) || isTimeout(error))) throw error
      // The server does not know the parameter, or ignores it and never sends the final bookmark.
      if (isInvalid(error) || isBadRequest(error) || isTimeout(error)) this.#useWatchList = false
      this.#sink.failed(error, 'list')
      return false
    }
  }

  async #listState(): Promise<void> {
    const objects: T[] = []
    let revision = ''
    let continued = false
    const collect = (items: readonly T[]): void => {
      for (const item of items) objects.push(this.#sink.prepare(item))
    }
    const call = { ...this.#scope, signal: this.#signal, retries: listRetries }
    try {
      const limit = this.#options.pageSize
      for await (const page of this.#client.pages(this.#kind, { ...call, limit, ...this.#since })) {
        collect(page.items)
        revision = page.metadata.resourceVersion ?? ''
        continued = page.metadata.continue !== undefined
      }
    } catch (error) {
      if (!continued || !isExpired(error)) throw error
      // The pages expired before all were read.
      objects.length = 0
      const all = await this.#client.list(this.#kind, call)
      collect(all.items)
      revision = all.metadata.resourceVersion ?? ''
    }
    this.#signal.throwIfAborted()
    this.#synced(objects, revision)
  }

  /** The first list may come from the cache of the server; later ones must not go back in time. */
  get #since(): { resourceVersion?: string; resourceVersionMatch?: 'NotOlderThan' } {
    if (this.#floor === undefined) return { resourceVersion: '0' }
    if (!isDefinite(this.#floor)) return {}
    return { resourceVersion: this.#floor, resourceVersionMatch: 'NotOlderThan' }
  }

  #synced(objects: Iterable<T>, revision: string): void {
    this.#position = revision
    this.#floor = revision
    this.#action = 'watch'
    this.#sink.replace(objects, revision)
  }

  async #watchOn(): Promise<void> {
    const begun = this.#client.clock.elapsed()
    const stream = await this.#open({ resourceVersion: this.#position ?? '' })
    await this.#follow(stream, undefined, begun)
  }

  #open(query: {
    resourceVersion: string
    resourceVersionMatch?: 'NotOlderThan'
    sendInitialEvents?: boolean
    idleMs?: number
  }): Promise<WatchStream<T>> {
    const { watchSeconds, maxLineBytes } = this.#options
    const timeoutSeconds = Math.ceil(watchSeconds * (1 + this.#client.random()))
    return this.#client.watch(this.#kind, {
      ...this.#scope,
      ...query,
      idleMs: query.idleMs ?? this.#idleMs,
      allowWatchBookmarks: true,
      timeoutSeconds,
      maxLineBytes,
      signal: this.#signal,
    })
  }

  get #idleMs(): number {
    return this.#options.watchSeconds * 2_000 + this.#options.idleSlackMs
  }

  /**
   * Resolves when the server ends the watch. `initial` collects the state until the server reports that it is complete.
   */
  async #follow(
    stream: WatchStream<T>,
    initial: Map<string, T> | undefined,
    begun: number,
  ): Promise<void> {
    const stage: Stage<T> = {
      initial,
      // Without a definite version, the server first sends the existing objects, unordered.
      ordered: initial === undefined && isDefinite(this.#position ?? ''),
      advanced: false,
    }
    try {
      for await (const batch of stream.batches()) {
        for (const event of batch) {
          this.#signal.throwIfAborted()
          this.#take(event, stage, stream)
        }
      }
    } catch (error) {
      // A watch that was cut off after it made progress counts as ended normally.
      if (stage.initial !== undefined || !stage.advanced || !isUnreachable(error)) throw error
    }
    if (stage.initial !== undefined) throw ended('before the initial state was complete')
    if (stage.advanced) return
    if (this.#client.clock.elapsed() - begun < shortWatchMs) throw ended('right after it started')
  }

  #take(event: WatchEvent<T>, stage: Stage<T>, stream: WatchStream<T>): void {
    switch (event.type) {
      case 'ERROR':
        throw event.error
      case 'OTHER':
        this.#sink.failed(new TypeError(`unknown event type ${event.name}`), 'watch')
        break
      case 'BOOKMARK':
        if (stage.initial !== undefined && event.initialEventsEnd) {
          this.#synced(stage.initial.values(), event.revision)
          // The caller holds the map for as long as the watch runs.
          stage.initial.clear()
          stage.initial = undefined
          stream.setIdleLimit(this.#idleMs)
        }
        if (stage.initial === undefined) this.#advance(event.revision, stage)
        break
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        this.#takeObject(event.type, this.#sink.prepare(event.object), stage)
    }
  }

  #takeObject(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T, stage: Stage<T>): void {
    if (stage.initial !== undefined) {
      const key = formatKey(object.metadata)
      if (type === 'DELETED') stage.initial.delete(key)
      else stage.initial.set(key, object)
      return
    }
    if (type === 'DELETED') this.#sink.remove(object)
    else this.#sink.put(object)
    if (type !== 'ADDED') stage.ordered = true
    if (stage.ordered) this.#advance(object.metadata.resourceVersion ?? '', stage)
  }

  #advance(revision: string, stage: Stage<T>): void {
    stage.ordered = true
    stage.advanced = true
    this.#internalErrorsSince = undefined
    if (revision === '') return
    this.#position = revision
    this.#floor = revision
    this.#sink.reached(revision)
  }
}

interface Stage<T extends KubeObject> {
  /** The part of the whole state that has arrived; undefined once it is complete. */
  initial: Map<string, T> | undefined
  /** Whether the resource versions of events are in order. */
  ordered: boolean
  /** Whether this watch has delivered something. */
  advanced: boolean
}

function ended(when: string): KubeError {
  return new KubeError(`watch: ended ${when}`, { code: 0, reason: unreachable })
}

import type { KubeClient } from '../client/kube-client.ts'
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
  UNREACHABLE,
} from '../client/kube-error.ts'
import type { View } from '../client/list-options.ts'
import { formatKey, type KindRef } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import type { WatchEvent } from '../watch/watch-event.ts'
import type { WatchStream } from '../watch/watch-stream.ts'
import { type BackoffOptions, createBackoff } from './backoff.ts'
import { isDefinite } from './resource-version.ts'

/** Where a reflector puts what it learns. Every call is one step from one state of the server to a later one. */
export interface ReflectorSink<T extends KubeObject> {
  /** What is received is put into this form at once. */
  prepare(object: T): T
  replace(objects: Iterable<T>, revision: string): void
  put(object: T): void
  remove(object: T): void
  /** Everything up to here has been delivered. */
  reached(revision: string): void
  /** Something went wrong and will be tried again. */
  failed(error: unknown, action: 'list' | 'watch'): void
}

export interface ReflectorOptions {
  readonly backoff: BackoffOptions
  readonly pageSize: number
  /** Initial state by a watch where the server can do that. */
  readonly watchList: boolean
  /** Seconds after which the server is asked to end a watch: by chance between this and twice this. */
  readonly watchSeconds: number
  /** Silence beyond the watch's time, after which the server counts as hung. */
  readonly idleSlackMs: number
  /** Silence before the initial state is complete, after which it is listed instead. */
  readonly initialIdleMs: number
  readonly maxLineBytes: number
}

/** A watch without events that is over this soon was no watch. */
const shortWatchMs = 1_000
/** For so long an internal error of the server does not cost a new list. */
const internalErrorMs = 60_000
const listRetries = 3

/** Keeps a sink in step with the objects of a kind until the signal ends it. */
export async function reflect<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  scope: View,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector(client, kind, scope, sink, options, signal)
  const backoff = createBackoff(options.backoff, client.clock)
  while (!signal.aborted) {
    try {
      await reflector.round()
    } catch (error) {
      if (signal.aborted) return
      reflector.learnFrom(error)
      await client.clock.sleep(backoff.next(), signal).catch(() => undefined)
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
  /** Where the next watch begins. Undefined: with the whole state. */
  #position: string | undefined
  /** Not older than this may the next whole state be. Empty: as of now. Undefined: there was none yet. */
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

  /** The whole state if need be, and then one watch to its end. */
  async round(): Promise<void> {
    if (this.#position === undefined) {
      this.#action = 'list'
      if (await this.#streamState()) return
      await this.#listState()
    }
    this.#action = 'watch'
    await this.#watchOn()
  }

  /** What a failure says about where to go on. */
  learnFrom(error: unknown): void {
    this.#sink.failed(error, this.#action)
    if (!isInternalError(error)) this.#internalErrorsSince = undefined
    if (isRevisionTooLarge(error)) {
      this.#startOver('')
    } else if (isExpired(error)) {
      // A list that is too old itself can only be asked for as of now.
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
    const now = this.#client.clock.now()
    this.#internalErrorsSince ??= now
    return now - this.#internalErrorsSince > internalErrorMs
  }

  /** The whole state as the beginning of a watch. False when it has to be listed instead. */
  async #streamState(): Promise<boolean> {
    if (!this.#useWatchList) return false
    const begun = this.#client.clock.now()
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
      // It does not know the question, or takes it for another and never says that it is done.
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
      // It changes faster than we turn its pages.
      objects.length = 0
      const all = await this.#client.list(this.#kind, call)
      collect(all.items)
      revision = all.metadata.resourceVersion ?? ''
    }
    this.#signal.throwIfAborted()
    this.#synced(objects, revision)
  }

  /** The first list may be whatever the server has at hand; later ones must not go back in time. */
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
    const begun = this.#client.clock.now()
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
    const timeoutSeconds = Math.ceil(watchSeconds * (1 + this.#client.clock.random()))
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

  /** Ends when the server ends the watch in order. `initial` collects the whole state until the server says it is complete. */
  async #follow(
    stream: WatchStream<T>,
    initial: Map<string, T> | undefined,
    begun: number,
  ): Promise<void> {
    const stage: Stage<T> = {
      initial,
      // From nowhere in particular the server first sends what exists, in no order.
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
      // Cut off, but not without having got on: that is the end of a watch like any other.
      if (stage.initial !== undefined || !stage.advanced || !isUnreachable(error)) throw error
    }
    if (stage.initial !== undefined) throw ended('before the initial state was complete')
    if (stage.advanced) return
    if (this.#client.clock.now() - begun < shortWatchMs) throw ended('as soon as it had begun')
  }

  #take(event: WatchEvent<T>, stage: Stage<T>, stream: WatchStream<T>): void {
    switch (event.type) {
      case 'ERROR':
        throw event.error
      case 'OTHER':
        this.#sink.failed(new TypeError(`an unknown type of event: ${event.name}`), 'watch')
        break
      case 'BOOKMARK':
        if (stage.initial !== undefined && event.initialEventsEnd) {
          this.#synced(stage.initial.values(), event.revision)
          // Whoever handed the map over still holds it, for as long as the watch goes on.
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
  /** What has arrived of the whole state; undefined once it is complete. */
  initial: Map<string, T> | undefined
  /** Resource versions of events say how far we are. */
  ordered: boolean
  /** Something came of this watch. */
  advanced: boolean
}

function ended(when: string): KubeError {
  return new KubeError(`watch: ended ${when}`, { code: 0, reason: UNREACHABLE })
}

import {
  type Clock,
  type ClusterEvent,
  EventKind,
  isNotFound,
  type KubeClient,
  KubeError,
  type KubeObject,
  sleep,
  systemClock,
} from '@agents/kube'
import { type Logger, redact } from '@agents/log'
import { coreEvent, type EventSource, type Occurrences, repetition } from './core-event.ts'
import { type CorrelatorOptions, EventCorrelator } from './event-correlator.ts'
import type { EventNote, EventRecorder } from './event-recorder.ts'
import { LruMap } from './lru-map.ts'

export interface ClusterEventRecorderOptions extends CorrelatorOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>
  readonly source: EventSource
  readonly log: Logger
  readonly clock?: Clock
  readonly random?: () => number
  /** Events waiting to be sent; more are dropped. Default 1000. */
  readonly queueLength?: number
  /** Default 12. */
  readonly tries?: number
  /** Between two attempts. Default 10 s. */
  readonly retryMs?: number
}

/** The event that was created for a key, whose count is raised instead of creating another. */
interface RecordedEvent {
  name: string
  namespace: string
  count: number
  first: Date
}

interface Task {
  readonly object: KubeObject
  readonly note: EventNote
  readonly key: string
  readonly at: Date
}

/** Creates events in the cluster, in order, from a bounded queue. */
export class ClusterEventRecorder implements EventRecorder {
  readonly #options: ClusterEventRecorderOptions
  readonly #clock: Clock
  readonly #correlator: EventCorrelator
  readonly #recorded: LruMap<RecordedEvent>
  readonly #queue: Task[] = []
  #sending: Promise<void> | undefined
  #counter = 0
  readonly #stop = new AbortController()

  constructor(options: ClusterEventRecorderOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#correlator = new EventCorrelator(options)
    this.#recorded = new LruMap(options.capacity ?? 4096)
  }

  record(object: KubeObject, note: EventNote): void {
    const { queueLength = 1000 } = this.#options
    if (this.#stop.signal.aborted || this.#queue.length >= queueLength) return
    const safe = { ...note, message: redact(note.message) }
    const { apiVersion, kind, metadata } = object
    const about = JSON.stringify([
      apiVersion,
      kind,
      metadata.namespace,
      metadata.name,
      metadata.uid,
    ])
    const correlated = this.#correlator.correlate(about, safe, this.#clock.elapsed())
    if (correlated.kind === 'drop') return
    const { key, message } = correlated
    this.#queue.push({ object, note: { ...safe, message }, key, at: this.#clock.now() })
    this.#sending ??= this.#sendAll()
  }

  /** Accepts no more events; sends the queued ones without retries. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    try {
      for (let task = this.#queue.shift(); task; task = this.#queue.shift()) await this.#send(task)
    } finally {
      this.#sending = undefined
    }
  }

  /** A failure only loses the event. */
  async #send(task: Task): Promise<void> {
    const { tries = 12, retryMs = 10_000, random = Math.random, log } = this.#options
    for (let tried = 1; tried <= tries; tried += 1) {
      try {
        await this.#recordEvent(task)
        return
      } catch (error) {
        if (isRefusal(error) || tried === tries || this.#stop.signal.aborted) {
          log.debug('event not recorded', { error, reason: task.note.reason })
          return
        }
        const pause = tried === 1 ? retryMs * random() : retryMs
        await sleep(this.#clock, pause, this.#stop.signal)
      }
    }
  }

  async #recordEvent(task: Task): Promise<void> {
    const recorded = this.#recorded.get(task.key)
    if (!recorded) return this.#create(task, { count: 1, first: task.at, last: task.at })
    const occurrences = { count: recorded.count + 1, first: recorded.first, last: task.at }
    try {
      const body = repetition(occurrences, task.note.message)
      await this.#options.client.patch(EventKind, recorded, { type: 'merge', body }, { retries: 0 })
      recorded.count = occurrences.count
    } catch (error) {
      if (!isNotFound(error)) throw error
      await this.#create(task, occurrences)
    }
  }

  async #create({ object, note, key }: Task, occurrences: Occurrences): Promise<void> {
    const event = coreEvent(object, note, this.#options.source, occurrences, this.#unique())
    const body: Omit<ClusterEvent, 'apiVersion' | 'kind'> = event
    await this.#options.client.create(EventKind, body, { retries: 0 })
    const { name, namespace = 'default' } = event.metadata
    const { count, first } = occurrences
    this.#recorded.set(key, { name, namespace, count, first })
  }

  /** There is no clock with nanoseconds; the counter keeps events of one millisecond apart. */
  #unique(): string {
    this.#counter = (this.#counter + 1) % 1_000_000
    return (BigInt(this.#clock.now().getTime()) * 1_000_000n + BigInt(this.#counter)).toString(16)
  }
}

/** The server rejected the event; a retry would be rejected too. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false
  return error.code >= 400 && error.code < 500 && error.code !== 429
}

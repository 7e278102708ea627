import type { Logger } from '@agents/log'
import type { Resource } from '../otlp/resource.ts'
import type { SpanRecord } from '../span.ts'
import { type Sent, type Transport, troubleOf } from './transport.ts'

export interface BatchExporterOptions {
  readonly transport: Transport
  readonly resource: Resource
  readonly log: Logger
  readonly limits?: Partial<ExportLimits>
}

export interface ExportLimits {
  /** Spans that wait; what comes on top is dropped. */
  readonly queue: number
  /** Spans that are sent together. */
  readonly batch: number
  /** How long a span waits for others. */
  readonly delayMs: number
  /** For one try. */
  readonly timeoutMs: number
  /** Between two tries of a batch; doubles each time, up to ten times that. */
  readonly backoffMs: number
  /** Then a batch is given up. */
  readonly tries: number
}

const defaultLimits: ExportLimits = {
  queue: 4096,
  batch: 512,
  delayMs: 2_000,
  timeoutMs: 10_000,
  backoffMs: 1_000,
  tries: 6,
}

/** However long a collector asks for: what comes meanwhile has no room. */
const LONGEST_PAUSE_MS = 5 * 60_000

/** It may be the words of the collector. */
const LONGEST_REASON = 256

/** Since the process began. */
export interface ExportCounts {
  readonly sent: number
  readonly dropped: Readonly<Record<DropReason, number>>
}

/** There was no room; the collector did not answer in time; it did not want them. */
export type DropReason = 'queue_full' | 'unreachable' | 'refused'

/**
 * Sends spans in batches, and never at the cost of the work that they tell about: nobody waits for it, nothing fails because of it,
 * and what it may hold is limited. A collector that is away is told about once, and once more when it is back.
 */
export class BatchExporter {
  readonly #options: BatchExporterOptions
  readonly #limits: ExportLimits
  readonly #dropped: Record<DropReason, number> = { queue_full: 0, unreachable: 0, refused: 0 }
  #queue: SpanRecord[] = []
  #sent = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #isFailing = false
  readonly #closing = new AbortController()
  readonly #cutOff = new AbortController()

  constructor(options: BatchExporterOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
  }

  get address(): string {
    return this.#options.transport.address
  }

  get counts(): ExportCounts {
    return { sent: this.#sent, dropped: { ...this.#dropped } }
  }

  add(span: SpanRecord): void {
    if (this.#closing.signal.aborted || this.#queue.length >= this.#limits.queue) {
      this.#dropped.queue_full += 1
      return
    }
    this.#queue.push(span)
    if (this.#sending !== undefined) return
    if (this.#queue.length >= this.#limits.batch) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), this.#limits.delayMs).unref()
  }

  /** Sends what waits now, and resolves when that is done or given up. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#sending !== undefined) {
      this.#send()
      await this.#sending
    }
  }

  /** Sends what waits, within the time; nothing is tried twice any more. */
  async close(withinMs: number): Promise<void> {
    this.#closing.abort()
    const late = setTimeout(() => this.#cutOff.abort(), withinMs)
    await this.flush()
    clearTimeout(late)
    this.#options.transport.close()
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
      // What came meanwhile and makes no full batch waits for more, as always.
      if (this.#queue.length > 0 && !this.#closing.signal.aborted) {
        this.#timer ??= setTimeout(() => this.#send(), this.#limits.delayMs).unref()
      }
    })
  }

  async #sendAll(): Promise<void> {
    do {
      const batch = this.#queue.slice(0, this.#limits.batch)
      this.#queue = this.#queue.slice(this.#limits.batch)
      await this.#sendBatch(batch)
    } while (
      this.#queue.length >= this.#limits.batch ||
      (this.#closing.signal.aborted && this.#queue.length > 0)
    )
  }

  async #sendBatch(batch: readonly SpanRecord[]): Promise<void> {
    const { tries, backoffMs } = this.#limits
    for (let tried = 1; ; tried++) {
      const sent = await this.#try(batch)
      this.#tell(sent)
      if (sent.kind === 'taken') {
        // What a collector says of itself need not be true, and counters only grow.
        const rejected = Math.min(Math.max(sent.rejected, 0), batch.length)
        this.#sent += batch.length - rejected
        this.#dropped.refused += rejected
        return
      }
      if (sent.kind === 'refused') {
        this.#dropped.refused += batch.length
        return
      }
      if (tried >= tries || this.#closing.signal.aborted) {
        this.#dropped.unreachable += batch.length
        return
      }
      const pause = sent.afterMs ?? Math.min(backoffMs * 2 ** (tried - 1), 10 * backoffMs)
      await this.#pause(Math.min(pause, LONGEST_PAUSE_MS))
    }
  }

  async #try(batch: readonly SpanRecord[]): Promise<Sent> {
    const { transport, resource } = this.#options
    if (this.#cutOff.signal.aborted) return { kind: 'later', because: 'the process ends' }
    const inTime = AbortSignal.timeout(this.#limits.timeoutMs)
    try {
      const signal = AbortSignal.any([inTime, this.#cutOff.signal])
      const sent = await transport.send(resource, batch, signal)
      if (sent.kind !== 'later' || !inTime.aborted) return sent
      return { ...sent, because: 'there was no answer in time' }
    } catch (error) {
      // Nobody listens for a failure here: it would end the process.
      return { kind: 'refused', because: troubleOf(error) }
    }
  }

  #tell(sent: Sent): void {
    const { log, transport } = this.#options
    const isWell = sent.kind === 'taken' && sent.rejected === 0
    if (isWell === !this.#isFailing) return
    this.#isFailing = !isWell
    const dropped = Object.values(this.#dropped).reduce((sum, one) => sum + one, 0)
    const { address } = transport
    if (isWell) log.info('traces are exported again', { address, dropped })
    else
      log.warn('traces cannot be exported; work goes on without', {
        address,
        reason: sent.because.slice(0, LONGEST_REASON),
      })
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const { signal } = this.#closing
      const wake = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, ms).unref()
      signal.addEventListener('abort', wake)
    })
  }
}

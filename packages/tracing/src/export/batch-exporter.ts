import type { Logger } from '@agents/log'
import type { Resource } from '../otlp/resource.ts'
import type { SpanRecord } from '../span.ts'
import { describeError, type Sent, type Transport } from './transport.ts'

interface BatchExporterOptions {
  readonly transport: Transport
  readonly resource: Resource
  readonly log: Logger
  readonly limits?: Partial<ExportLimits>
}

export interface ExportLimits {
  /** The size of the queue; further spans are dropped. */
  readonly queue: number
  /** Spans that are sent together. */
  readonly batch: number
  /** How long a span waits for others. */
  readonly delayMs: number
  /** The timeout of one attempt. */
  readonly timeoutMs: number
  /** The pause between two attempts of a batch; doubles each time, up to ten times this. */
  readonly backoffMs: number
  /** The attempts before a batch is dropped. */
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

/** The longest pause, even if the collector requests a longer one: the queue would overflow. */
const longestPauseMs = 5 * 60_000

/** The reason may contain text of the collector. */
const longestReason = 256

/** Counts since the start of the process. */
export interface ExportCounts {
  readonly sent: number
  readonly dropped: Readonly<Record<DropReason, number>>
}

/** The queue was full, the collector did not answer in time, or it rejected the spans. */
type DropReason = 'queue_full' | 'unreachable' | 'refused'

/**
 * Sends spans in batches, without affecting the traced work: callers never wait, failures are not passed on, and the
 * queue is bounded. An unreachable collector is logged once, and once more when it is back.
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

  /** Sends the queued spans, and resolves when they are sent or dropped. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#sending !== undefined) {
      this.#send()
      await this.#sending
    }
  }

  /** Sends the queued spans within the time, without retries. */
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
      // Spans that do not fill a batch wait for more.
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
      this.#logOutcome(sent)
      if (sent.kind === 'taken') {
        // The numbers of the collector may be wrong, and counters must not decrease.
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
      await this.#pause(Math.min(pause, longestPauseMs))
    }
  }

  async #try(batch: readonly SpanRecord[]): Promise<Sent> {
    const { transport, resource } = this.#options
    if (this.#cutOff.signal.aborted) return { kind: 'later', because: 'the process is exiting' }
    const inTime = AbortSignal.timeout(this.#limits.timeoutMs)
    try {
      const signal = AbortSignal.any([inTime, this.#cutOff.signal])
      const sent = await transport.send(resource, batch, signal)
      if (sent.kind !== 'later' || !inTime.aborted) return sent
      return { ...sent, because: 'the collector did not respond in time' }
    } catch (error) {
      // A rejection would be unhandled here and end the process.
      return { kind: 'refused', because: describeError(error) }
    }
  }

  #logOutcome(sent: Sent): void {
    const { log, transport } = this.#options
    const isWell = sent.kind === 'taken' && sent.rejected === 0
    if (isWell === !this.#isFailing) return
    this.#isFailing = !isWell
    const dropped = Object.values(this.#dropped).reduce((sum, one) => sum + one, 0)
    const { address } = transport
    if (isWell) log.info('trace export recovered', { address, dropped })
    else
      log.warn('trace export failed; spans are dropped', {
        address,
        reason: sent.because.slice(0, longestReason),
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

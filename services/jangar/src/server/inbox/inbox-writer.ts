import { type Clock, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { type NewDelivery, storeDeliveries, waitingBytes } from './inbox.ts'

/** Why a delivery was not stored. It can be sent again. */
export class NotStored extends Error {
  override name = 'NotStored'
  readonly isQuota: boolean

  constructor(message: string, isQuota = false) {
    super(message)
    this.isQuota = isQuota
  }
}

interface Waiting {
  readonly delivery: NewDelivery
  readonly resolve: (isNew: boolean) => void
  readonly reject: (error: Error) => void
}

interface Options {
  readonly db: Kysely<Database>
  readonly log: Logger
  readonly clock: Clock
  /** How many deliveries may wait to be stored. */
  readonly queueSize: number
  /** How many bytes of one source may wait to be processed, so that one source cannot fill the disk. */
  readonly quotaBytes?: number
  readonly timeoutMs?: number
}

const largestBatch = 100
const quotaIntervalMs = 5000

/**
 * Stores deliveries in the order in which they come. While one transaction is on its way, what comes is collected for
 * the next: each commit costs a write to the disk, however many rows it has.
 */
export class InboxWriter {
  readonly #options: Options
  #queue: Waiting[] = []
  #isWriting = false
  #isFailing = false
  #used: ReadonlyMap<string, number> = new Map()
  #usedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.#options = options
  }

  /** Resolves when the delivery is on disk: true if it is new. Throws `NotStored`. */
  async store(delivery: NewDelivery): Promise<boolean> {
    const { queueSize, quotaBytes = 256 * 1024 * 1024 } = this.#options
    if (this.#queue.length >= queueSize) {
      throw new NotStored('too many deliveries wait to be stored; send it again')
    }
    if ((this.#used.get(delivery.sourceUid) ?? 0) > quotaBytes) {
      throw new NotStored('too much of this source waits to be processed; send it again', true)
    }
    return await new Promise((resolve, reject) => {
      this.#queue.push({ delivery, resolve, reject })
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, largestBatch)
      this.#queue = this.#queue.slice(largestBatch)
      try {
        const isNew = await this.#limited(this.#stored(batch))
        for (const [at, { resolve }] of batch.entries()) resolve(isNew.has(at))
        if (this.#isFailing) this.#options.log.info('deliveries are stored again')
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) this.#options.log.warn('deliveries cannot be stored', { error })
        this.#isFailing = true
        const message = 'the delivery was not stored, since the database is not available'
        for (const { reject } of batch) reject(new NotStored(`${message}; send it again`))
      }
    }
    this.#isWriting = false
  }

  async #stored(batch: readonly Waiting[]): Promise<ReadonlySet<number>> {
    const { db, clock } = this.#options
    if (clock.elapsed() - this.#usedAtMs >= quotaIntervalMs) {
      this.#used = await waitingBytes(db)
      this.#usedAtMs = clock.elapsed()
    }
    return await storeDeliveries(
      db,
      batch.map(({ delivery }) => delivery),
    )
  }

  /** Fails when the database hangs. If it stores the batch later, the digests recognize what is sent again. */
  async #limited<T>(work: Promise<T>): Promise<T> {
    const { clock, timeoutMs = 10_000 } = this.#options
    const done = new AbortController()
    const late = sleep(clock, timeoutMs, done.signal).then(() => {
      if (!done.signal.aborted) throw new Error('the database did not answer in time')
      return work
    })
    try {
      return await Promise.race([work, late])
    } finally {
      done.abort()
      late.catch(() => undefined)
      work.catch(() => undefined)
    }
  }
}

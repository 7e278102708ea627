import {
  type Clock,
  isNotFound,
  type KubeClient,
  type Lease,
  LeaseKind,
  type ObjectKey,
  sleep,
  systemClock,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import type { EventRecorder } from '../events/event-recorder.ts'
import { isSameRecord, type LeaseRecord, leaseSpec, microTime, readLease } from './lease-record.ts'

export interface LeaderElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>
  readonly lease: ObjectKey & { readonly namespace: string }
  /** Unique to this start of the process, such as `hostname_uuid`. */
  readonly identity: string
  /** How long other candidates wait for a leader that does not renew. Default 15 s. */
  readonly leaseDurationMs?: number
  /** How long a leader retries a renewal before it steps down. Default 10 s. */
  readonly renewDeadlineMs?: number
  /** Between two attempts. Default 2 s. */
  readonly retryPeriodMs?: number
  readonly log: Logger
  readonly clock?: Clock
  readonly random?: () => number
  /** For the metric: 1 while leading. */
  readonly onStatus?: (isLeader: boolean) => void
  readonly onNewLeader?: (identity: string) => void
  /** Recorded as an event of the Lease when this candidate becomes the leader. */
  readonly events?: EventRecorder
}

/** How the leadership ended. `lost` must end the process: another candidate may lead already. */
export type LeadershipEnd = 'stopped' | 'lost'

/**
 * Elects one leader at a time through a Lease. Clocks of different machines are never compared: a candidate takes over
 * when it has seen the same record for the duration of the Lease by its own clock.
 */
export class LeaderElector {
  readonly #options: LeaderElectionOptions
  readonly #clock: Clock
  readonly #leaseDurationMs: number
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number
  #lease: Lease | undefined
  #record: LeaseRecord | undefined
  #seenAt = 0
  #renewedAt = Number.NEGATIVE_INFINITY
  #announced: string | undefined
  #leading = false

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000
    if (this.#leaseDurationMs <= this.#renewDeadlineMs) {
      throw new TypeError('leaseDurationMs must be greater than renewDeadlineMs')
    }
    if (this.#renewDeadlineMs <= this.#retryPeriodMs * jitterFactor) {
      throw new TypeError(`renewDeadlineMs must be more than ${jitterFactor} times retryPeriodMs`)
    }
  }

  /** Also false when the renewal is overdue, although no other candidate may lead yet. */
  get isLeader(): boolean {
    return this.#leading && this.#timeLeftMs > 0
  }

  /** Time left to renew the Lease. */
  get #timeLeftMs(): number {
    return this.#renewedAt + this.#renewDeadlineMs - this.#clock.elapsed()
  }

  /** Time left until another candidate may lead. */
  get #leaseLeftMs(): number {
    return this.#renewedAt + this.#leaseDurationMs - this.#clock.elapsed()
  }

  /** The shortest timeout of a renewal, chosen so that the last attempt ends before another candidate may lead. */
  get #shortestCallMs(): number {
    const slack = this.#leaseDurationMs - this.#renewDeadlineMs
    return Math.min(1_000, slack / requestsOfTry)
  }

  /** Resolves with true when this candidate leads, or with false if the signal is aborted first. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    this.#options.onStatus?.(false)
    while (!signal.aborted) {
      if (await this.#tryAcquireOrRenew()) {
        this.#elected()
        return true
      }
      const random = this.#options.random ?? Math.random
      await sleep(this.#clock, this.#retryPeriodMs * (1 + jitterFactor * random()), signal)
    }
    return false
  }

  /** Renews the Lease until the signal is aborted or the Lease is lost. It is not released: call `release` for that. */
  async hold(signal: AbortSignal): Promise<LeadershipEnd> {
    while (!signal.aborted) {
      const pause = Math.max(0, Math.min(this.#retryPeriodMs, this.#timeLeftMs))
      await sleep(this.#clock, pause, signal)
      if (signal.aborted) break
      // After a long pause of the machine, an attempt could end when another candidate leads.
      const isTooLate = this.#leaseLeftMs < requestsOfTry * this.#shortestCallMs
      if (!isTooLate) {
        if (await this.#tryAcquireOrRenew()) continue
        if (this.#timeLeftMs > 0 && !this.#isHeldByOther()) continue
      }
      this.#resign()
      this.#options.log.error('leadership lost', { holder: this.#record?.holder })
      return 'lost'
    }
    return 'stopped'
  }

  /** Lets another candidate take over at once. Called when nothing that needs the leadership runs any more. */
  async release(): Promise<void> {
    if (!this.#leading) return
    this.#resign()
    const now = microTime(this.#clock.now())
    const transitions = this.#record?.transitions ?? 0
    const record = { holder: '', durationMs: 1000, acquireTime: now, renewTime: now, transitions }
    try {
      await this.#update(record)
    } catch (error) {
      this.#options.log.warn('lease not released; it will expire', { error })
    }
  }

  #elected(): void {
    const { identity, log, events, onStatus } = this.#options
    this.#leading = true
    onStatus?.(true)
    log.info('became leader', { identity })
    if (!this.#lease) return
    const message = `${identity} became leader`
    events?.record(this.#lease, { type: 'Normal', reason: 'LeaderElection', message })
  }

  #resign(): void {
    this.#leading = false
    this.#options.onStatus?.(false)
  }

  #isHeldByOther(): boolean {
    const holder = this.#record?.holder ?? ''
    return holder !== '' && holder !== this.#options.identity
  }

  async #tryAcquireOrRenew(): Promise<boolean> {
    try {
      // A leader assumes that the Lease is as it last wrote it; if not, the update is rejected.
      if (this.#leading && this.#lease && !this.#isHeldByOther()) {
        try {
          return await this.#take(this.#lease)
        } catch (error) {
          this.#options.log.debug('lease changed by another candidate', { error })
        }
      }
      return await this.#observeLease()
    } catch (error) {
      const message = this.#leading ? 'lease not renewed' : 'lease not acquired'
      this.#options.log.warn(message, { error })
      return false
    }
  }

  async #observeLease(): Promise<boolean> {
    const { client, lease: key, identity } = this.#options
    try {
      this.#observe(await client.get(LeaseKind, key, this.#call()))
    } catch (error) {
      if (!isNotFound(error)) throw error
      const record = this.#ownRecord(undefined)
      const spec = leaseSpec(record)
      this.#won(await client.create(LeaseKind, { metadata: { ...key }, spec }, this.#call()))
      return true
    }
    const { holder = '', durationMs = 0 } = this.#record ?? {}
    const runsOut = this.#seenAt + Math.max(durationMs, minimumDurationMs)
    const isFree = holder === '' || holder === identity
    if (!isFree && this.#clock.elapsed() < runsOut) return false
    return this.#lease ? this.#take(this.#lease) : false
  }

  async #take(lease: Lease): Promise<boolean> {
    await this.#update(this.#ownRecord(readLease(lease)))
    return true
  }

  async #update(record: LeaseRecord): Promise<void> {
    const { lease, client } = { lease: this.#lease, client: this.#options.client }
    if (!lease) return
    const updated = { ...lease, spec: { ...lease.spec, ...leaseSpec(record) } }
    this.#won(await client.update(LeaseKind, updated, this.#call()))
  }

  /** The time before the request counts: the server may have renewed the Lease long before the response arrived. */
  #won(lease: Lease): void {
    this.#observe(lease)
    this.#renewedAt = this.#requestedAt
  }

  #requestedAt = 0

  #call() {
    this.#requestedAt = this.#clock.elapsed()
    const half = this.#renewDeadlineMs / 2
    if (!this.#leading) return { timeoutMs: Math.max(1_000, half), retries: 0 }
    // A leader does not wait for a response while its Lease expires.
    const waitMs = Math.min(half, this.#timeLeftMs)
    return { timeoutMs: Math.max(this.#shortestCallMs, waitMs), retries: 0 }
  }

  #observe(lease: Lease): void {
    const record = readLease(lease)
    this.#lease = lease
    if (!isSameRecord(this.#record, record)) {
      this.#record = record
      this.#seenAt = this.#clock.elapsed()
    }
    if (record.holder === this.#announced || record.holder === '') return
    this.#announced = record.holder
    this.#options.onNewLeader?.(record.holder)
  }

  #ownRecord(before: LeaseRecord | undefined): LeaseRecord {
    const { identity } = this.#options
    const now = microTime(this.#clock.now())
    const isOurs = before?.holder === identity
    return {
      holder: identity,
      durationMs: this.#leaseDurationMs,
      acquireTime: isOurs ? before.acquireTime : now,
      renewTime: now,
      transitions: before === undefined ? 0 : before.transitions + (isOurs ? 0 : 1),
    }
  }
}

const jitterFactor = 1.2

/** One attempt that finds the Lease changed, one that reads it, and one that takes it. */
const requestsOfTry = 3

/** A record without a duration is not taken over at once. */
const minimumDurationMs = 1_000

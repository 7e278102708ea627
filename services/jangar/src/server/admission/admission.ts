import type { Clock, Enqueue, ResourceCache, Source, Subscription } from '@agents/controller'
import { type Condition, compareRevisions, formatKey, type KubeObject } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { AdmissionDecision } from './admission-decision.ts'
import { BoundedQueue } from './bounded-queue.ts'
import { explainWait } from './explain-wait.ts'
import { compareArrival, type QueuedRun } from './queued-run.ts'
import { admittedAt, isAcceptable, isQueued, mayHaveQueued } from './run-conditions.ts'
import { countStart, type Scope } from './scope.ts'
import { type AdmissionLimits, type Demand, isSameSlot, Scopes, type Slot } from './scopes.ts'
import { Slots } from './slots.ts'

/** A run of any kind that has the conditions Accepted, Admitted and Finished. */
type AdmissibleRun = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined }
}

interface AdmissionOptions<Run extends AdmissibleRun> {
  readonly runs: Pick<ResourceCache<Run>, 'subscribe'>
  readonly limits: AdmissionLimits
  readonly clock: Clock
  /** What the run counts against, as far as the run itself shows. */
  readonly demandOf: (run: Run) => Demand
  /** Higher goes first. */
  readonly priorityOf: (run: Run) => number
  readonly isCancelled: (run: Run) => boolean
  /**
   * Whether the run has Jobs although its status does not show its admission: a process may have ended between the two.
   * Called once all caches are filled.
   */
  readonly hasJobs: (run: Run) => boolean
}

interface BacklogEntry<Run> {
  readonly run: Run
  /** Whether it was created after the start. */
  readonly isNew: boolean
}

/**
 * Gives slots to runs: never more than the limits allow, in a fair order. It counts the runs that the cache shows as
 * admitted, and those it has admitted that the cache does not show yet. A slot that becomes free is reserved for the
 * run whose turn it is, and the run is requeued to claim it.
 */
export class Admission<Run extends AdmissibleRun = AdmissibleRun> {
  /** Requeues runs whose turn it is, and observes the cache. Decisions are correct only after it has started. */
  readonly source: Source
  readonly #options: AdmissionOptions<Run>
  readonly #scopes: Scopes
  readonly #slots = new Slots()
  readonly #queue: BoundedQueue
  /** Slots reserved for runs that have not claimed them, and until when; the earliest end first. */
  readonly #reservations = new Map<string, number>()
  /** Runs that existed at the start: decided together, since a list is not in order of arrival. */
  #backlog: Map<string, BacklogEntry<Run>> | undefined
  #enqueue: Enqueue | undefined
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(options: AdmissionOptions<Run>) {
    this.#options = options
    this.#scopes = new Scopes(options.limits)
    this.#queue = new BoundedQueue(this.#scopes.cluster)
    this.source = { name: 'admission', start: (enqueue) => this.#start(enqueue) }
  }

  /**
   * Decides about a run that is accepted and not finished, in each reconcile. A run that has a slot keeps it, and so
   * does one with Jobs, whatever the limits are.
   */
  request(run: Run, demand: Demand): AdmissionDecision {
    this.#decideBacklog()
    this.#updateWindow()
    const { namespace = '', uid = '', resourceVersion = '' } = run.metadata
    const key = formatKey(run.metadata)
    const slot = this.#scopes.slotOf(namespace, demand)
    if (admittedAt(run) !== undefined || this.#options.hasJobs(run)) {
      this.#keep(run, slot)
      return { kind: 'admitted' }
    }
    const hold = this.#slots.get(key)
    if (hold?.uid === uid && isSameSlot(hold.slot, slot)) {
      hold.resourceVersion = resourceVersion
      this.#reservations.delete(key)
      return { kind: 'admitted' }
    }
    // A run that turns out to need another slot keeps its turn: others get the one that it gives up after it.
    if (hold && hold.uid !== uid) this.#leave(key)
    const freed = hold?.uid === uid ? this.#vacate(key) : undefined
    const decision = this.#wait(run, slot)
    if (freed) this.#fill(freed)
    return decision
  }

  /** Whether the run has a slot, even if its status does not show it yet. A reserved slot is not one. */
  holds(run: Run): boolean {
    if (admittedAt(run) !== undefined || this.#options.hasJobs(run)) return true
    return this.#claimedSlot(run) !== undefined
  }

  /** Forgets a run that was deleted, or waits for something else than a slot. */
  forget(key: string): void {
    this.#backlog?.delete(key)
    this.#leave(key)
  }

  #wait(run: Run, slot: Slot): AdmissionDecision {
    const key = formatKey(run.metadata)
    const { uid = '', resourceVersion = '' } = run.metadata
    const known = this.#queue.get(key)
    const isKnown = known?.uid === uid && isSameSlot(known.slot, slot)
    const queued = isKnown ? known : this.#queuedRun(run, slot)
    queued.resourceVersion = resourceVersion
    if (!isKnown) {
      if (known) this.#queue.remove(key)
      // No other queued run can use the slot: it would have been reserved for it. A run that has just given up another
      // slot goes first.
      if (this.#slots.isFreeFor(queued)) {
        this.#slots.take({ key, uid, slot, window: undefined, resourceVersion })
        return { kind: 'admitted' }
      }
      this.#queue.add(queued)
      this.#setTimer()
    }
    const windows = { lengthMs: this.#options.limits.rate.windowMs, now: this.#options.clock.now() }
    return explainWait(queued, this.#queue, this.#slots, windows)
  }

  #start(enqueue: Enqueue): Subscription {
    this.#enqueue = enqueue
    this.#backlog = new Map()
    const subscription = this.#options.runs.subscribe({
      onAdd: (run, isInInitialList) => this.#observe(run, !isInInitialList),
      onUpdate: (_before, run) => this.#observe(run),
      onDelete: ({ metadata }) => this.forget(formatKey(metadata)),
    })
    return {
      hasSynced: () => subscription.hasSynced(),
      remove: () => {
        subscription.remove()
        this.#timer?.cancel()
      },
    }
  }

  #observe(run: Run, isNew = false): void {
    this.#updateWindow()
    const key = formatKey(run.metadata)
    if (isFinished(run.status?.conditions)) {
      this.#backlog?.delete(key)
      this.#countPast(run)
      this.#confirm(run)
      this.#leave(key)
    } else if (admittedAt(run) !== undefined) {
      this.#backlog?.delete(key)
      this.#keep(run, this.#claimedSlot(run) ?? this.#slotOf(run))
    } else if (this.#backlog) {
      this.#backlog.set(key, { run, isNew: this.#backlog.get(key)?.isNew ?? isNew })
    } else this.#observeWaiting(key, run)
  }

  /** A version older than the one that was decided about last is ignored. */
  #observeWaiting(key: string, run: Run): void {
    const hold = this.#slots.get(key)
    const decided = hold?.resourceVersion ?? this.#queue.get(key)?.resourceVersion
    const { resourceVersion = '' } = run.metadata
    if (decided !== undefined && compareRevisions(resourceVersion, decided) <= 0) return
    if (this.#givesUp(run, hold)) this.#leave(key)
    else if (isQueued(run) && this.#wantsSlot(run) && !hold && !this.#queue.get(key)) {
      this.#queue.add(this.#queuedRun(run, this.#slotOf(run)))
      this.#fill()
    }
  }

  /**
   * Whether a run without an admission on the server leaves its slot or place. One that has claimed its slot may have a
   * Job, even if it is to be cancelled: it keeps the slot until it finishes. A status that does not show the Job yet
   * may still say that the run is not acceptable.
   */
  #givesUp(run: Run, hold: ReturnType<Slots['get']>): boolean {
    if (hold?.resourceVersion === undefined) return !this.#wantsSlot(run)
    return !isAcceptable(run) && !this.#options.hasJobs(run)
  }

  #decideBacklog(): void {
    if (!this.#backlog) return
    const backlog = [...this.#backlog.values()]
    this.#backlog = undefined
    const { hasJobs } = this.#options
    for (const { run } of backlog) if (hasJobs(run)) this.#keep(run, this.#slotOf(run))
    const queued = backlog
      .filter(({ run, isNew }) => (isNew ? isQueued(run) : mayHaveQueued(run)))
      .filter(({ run }) => this.#wantsSlot(run) && !this.#slots.get(formatKey(run.metadata)))
      .map(({ run }) => this.#queuedRun(run, this.#slotOf(run)))
    for (const run of queued.sort(compareArrival)) this.#queue.add(run)
    this.#fill()
  }

  /** Whether a run without a slot can use one at present. */
  #wantsSlot(run: Run): boolean {
    const { deletionTimestamp } = run.metadata
    return deletionTimestamp === undefined && !this.#options.isCancelled(run) && isAcceptable(run)
  }

  #queuedRun(run: Run, slot: Slot): QueuedRun {
    const { uid = '', creationTimestamp, resourceVersion = '' } = run.metadata
    return {
      key: formatKey(run.metadata),
      uid,
      priority: this.#options.priorityOf(run),
      arrivedAt: Date.parse(creationTimestamp ?? '') || 0,
      slot,
      resourceVersion,
    }
  }

  /** Counts a run that is admitted, by this process or another. */
  #keep(run: Run, slot: Slot): void {
    const key = formatKey(run.metadata)
    const { uid = '', resourceVersion = '' } = run.metadata
    this.#reservations.delete(key)
    this.#queue.remove(key)
    const at = admittedAt(run)
    const window = at === undefined ? undefined : this.#windowAt(at)
    const hold = this.#slots.get(key)
    if (hold?.uid === uid && isSameSlot(hold.slot, slot)) {
      hold.resourceVersion = resourceVersion
      if (window !== undefined) this.#slots.confirm(hold, window)
      return
    }
    this.#slots.take({ key, uid, slot, window, resourceVersion })
    if (hold) this.#fill()
  }

  #leave(key: string): void {
    const freed = this.#vacate(key)
    if (freed) this.#fill(freed)
  }

  /** Takes the run out of its slot or the queue. Returns the scopes that were full before, if it had a slot. */
  #vacate(key: string): Scope[] | undefined {
    this.#reservations.delete(key)
    this.#queue.remove(key)
    const scopes = this.#slots.get(key)?.slot.scopes ?? []
    const full = scopes.filter((scope) => !this.#slots.isFreeIn(scope))
    return this.#slots.release(key) ? full : undefined
  }

  /**
   * Reserves free slots for queued runs, once all runs that existed at the start are counted. `freed`: the scopes that
   * were full before a slot was released. Only runs that count against them can be waiting, until they are full again.
   */
  #fill(freed?: readonly Scope[]): void {
    if (this.#backlog) return
    const until = this.#options.clock.elapsed() + reservedMs
    while (!freed?.every((scope) => !this.#slots.isFreeIn(scope))) {
      const next = this.#queue.takeNext(this.#slots)
      if (!next) break
      const { key, uid, slot } = next
      this.#slots.take({ key, uid, slot, window: undefined, resourceVersion: undefined })
      this.#reservations.set(key, until)
      this.#enqueue?.(key, { priority: claimPriority })
    }
    this.#setTimer()
  }

  #endReservations(): void {
    const now = this.#options.clock.elapsed()
    for (const [key, until] of this.#reservations) {
      if (until > now) break
      this.#leave(key)
    }
  }

  /** Counts a run that started and finished in the current window, before this process observed it. */
  #countPast(run: Run): void {
    const at = admittedAt(run)
    const window = this.#slots.window
    if (at === undefined || this.#windowAt(at) !== window || !this.#backlog) return
    for (const scope of this.#slotOf(run).scopes) countStart(scope, window)
  }

  /** Counts the start of a run that started and finished between two observed versions. */
  #confirm(run: Run): void {
    const at = admittedAt(run)
    const hold = this.#slots.get(formatKey(run.metadata))
    if (at === undefined || hold === undefined || hold.uid !== run.metadata.uid) return
    this.#slots.confirm(hold, this.#windowAt(at))
  }

  #updateWindow(): void {
    const window = this.#windowAt(this.#options.clock.now().getTime())
    if (window === this.#slots.window) return
    this.#slots.turnTo(window)
    this.#scopes.sweep(window)
    this.#fill()
  }

  #windowAt(time: number): number {
    return Math.floor(time / this.#options.limits.rate.windowMs)
  }

  /** The slot that the run claimed here: more precise than the run itself shows. */
  #claimedSlot({ metadata }: Run): Slot | undefined {
    const hold = this.#slots.get(formatKey(metadata))
    return hold?.uid === metadata.uid && hold?.resourceVersion !== undefined ? hold.slot : undefined
  }

  #slotOf(run: Run): Slot {
    return this.#scopes.slotOf(run.metadata.namespace ?? '', this.#options.demandOf(run))
  }

  /** Sets the timer to the next end of a reservation, or of the rate window if runs are queued. */
  #setTimer(): void {
    const { clock, limits } = this.#options
    const { rate } = limits
    const now = clock.elapsed()
    const [reservationEnd = Number.POSITIVE_INFINITY] = this.#reservations.values()
    const hasRate = rate.cluster + rate.perNamespace + rate.perRepo > 0
    const windowEnd =
      hasRate && this.#queue.size > 0
        ? now + rate.windowMs - (clock.now().getTime() % rate.windowMs)
        : Number.POSITIVE_INFINITY
    const at = Math.min(reservationEnd, windowEnd)
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (at === Number.POSITIVE_INFINITY) return
    const cancel = clock.after(at - now, () => {
      this.#timer = undefined
      this.#updateWindow()
      this.#endReservations()
      this.#setTimer()
    })
    this.#timer = { at, cancel }
  }
}

/**
 * A requeued run claims its slot within moments. One that does not is waiting for something else, and requests a slot
 * again.
 */
const reservedMs = 30_000

/** Before ordinary changes: nobody uses a slot while it is reserved. */
const claimPriority = 10

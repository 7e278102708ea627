import type { Clock, Enqueue, ResourceCache, Source, Subscription } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { compareRevisions, formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { AdmissionAnswer } from './admission-answer.ts'
import { explainWait } from './explain-wait.ts'
import { Places } from './places.ts'
import { admittedAt, asksNoMore, demandOf, isAcceptable, waitsForPlace } from './run-facts.ts'
import { countStart, type Scope } from './scope.ts'
import { type AdmissionLimits, type Demand, isSamePlace, type Place, Scopes } from './scopes.ts'
import { cameBefore, type Waiter } from './waiter.ts'
import { WaitingRoom } from './waiting-room.ts'

export interface AdmissionOptions {
  readonly runs: Pick<ResourceCache<AgentRun>, 'subscribe'>
  readonly limits: AdmissionLimits
  readonly clock: Clock
  /**
   * Whether the run's work is there although its status does not say so yet: the process before this one may have ended
   * between the two. Asked once all caches are filled.
   */
  readonly hasWork?: (run: AgentRun) => boolean
}

/**
 * Gives places to runs: never more than the limits allow, in a fair order. What the cache shows is counted, and beside it
 * those who were given a place that the cache does not show yet. A place that becomes free is kept for the run whose turn it
 * is, which is woken to come for it.
 */
export class Admission {
  /** Wakes whose turn has come, and learns what the cache shows: nothing is right before it has started. */
  readonly source: Source
  readonly #options: AdmissionOptions
  readonly #scopes: Scopes
  readonly #places = new Places()
  readonly #room: WaitingRoom
  /** Places kept for runs that have not come for them, and until when. In the order of their ends. */
  readonly #offers = new Map<string, number>()
  /** What was there at the start: judged together, since the order of a list is not that of arrival. */
  #backlog: Map<string, AgentRun> | undefined
  #enqueue: Enqueue | undefined
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#scopes = new Scopes(options.limits)
    this.#room = new WaitingRoom(this.#scopes.cluster)
    this.source = { name: 'admission', start: (enqueue) => this.#start(enqueue) }
  }

  /** To be asked in each pass of a run that is accepted and not finished; who has a place keeps it. */
  ask(run: AgentRun, demand: Demand): AdmissionAnswer {
    this.#takeInBacklog()
    this.#turnWindow()
    const { namespace = '', uid = '', resourceVersion = '' } = run.metadata
    const key = formatKey(run.metadata)
    const place = this.#scopes.placeOf(namespace, demand)
    if (demand.started || admittedAt(run) !== undefined) {
      this.#keep(run, place)
      return { kind: 'admitted' }
    }
    const hold = this.#places.get(key)
    if (hold?.uid === uid && isSamePlace(hold.place, place)) {
      hold.revision = resourceVersion
      this.#offers.delete(key)
      return { kind: 'admitted' }
    }
    if (hold) this.#leave(key)
    return this.#wait(run, place)
  }

  /** The run is no longer there. */
  gone(key: string): void {
    this.#backlog?.delete(key)
    this.#leave(key)
  }

  #wait(run: AgentRun, place: Place): AdmissionAnswer {
    const key = formatKey(run.metadata)
    const { uid = '', resourceVersion = '' } = run.metadata
    const known = this.#room.get(key)
    const isKnown = known?.uid === uid && isSamePlace(known.place, place)
    const waiter = isKnown ? known : waiterOf(run, place)
    waiter.revision = resourceVersion
    if (!isKnown) {
      if (known) this.#room.remove(key)
      // Nobody else who waits finds room, or he would have been given it.
      if (this.#places.for(waiter)) {
        this.#places.take({ key, uid, place, window: undefined, revision: resourceVersion })
        return { kind: 'admitted' }
      }
      this.#room.add(waiter)
      this.#setAlarm()
    }
    const windows = { lengthMs: this.#options.limits.rate.windowMs, now: this.#options.clock.now() }
    return explainWait(waiter, this.#room, this.#places, windows)
  }

  #start(enqueue: Enqueue): Subscription {
    this.#enqueue = enqueue
    this.#backlog = new Map()
    const subscription = this.#options.runs.subscribe({
      onAdd: (run) => this.#observe(run),
      onUpdate: (_before, run) => this.#observe(run),
      onDelete: ({ metadata }) => this.gone(formatKey(metadata)),
    })
    return {
      hasSynced: () => subscription.hasSynced(),
      remove: () => {
        subscription.remove()
        this.#alarm?.cancel()
      },
    }
  }

  #observe(run: AgentRun): void {
    this.#turnWindow()
    const key = formatKey(run.metadata)
    if (isFinished(run.status?.conditions)) {
      this.#backlog?.delete(key)
      this.#countPast(run)
      this.#confirm(run)
      this.#leave(key)
    } else if (admittedAt(run) !== undefined) {
      this.#backlog?.delete(key)
      this.#keep(run, this.#placeGivenTo(run) ?? this.#placeOf(run))
    } else if (this.#backlog) this.#backlog.set(key, run)
    else this.#observeUnplaced(key, run)
  }

  /** A version that the run has been asked about since is old news. */
  #observeUnplaced(key: string, run: AgentRun): void {
    const hold = this.#places.get(key)
    const asked = hold?.revision ?? this.#room.get(key)?.revision
    if (asked !== undefined && compareRevisions(run.metadata.resourceVersion ?? '', asked) <= 0)
      return
    // Who has come for his place may be at work, even if he is to stop: then it is his until the end.
    const leaves = hold?.revision === undefined ? asksNoMore(run) : !isAcceptable(run)
    if (leaves) this.#leave(key)
    else if (waitsForPlace(run) && !hold && !this.#room.get(key)) this.#arrive(run)
  }

  #takeInBacklog(): void {
    if (!this.#backlog) return
    const backlog = [...this.#backlog.values()]
    this.#backlog = undefined
    const { hasWork = () => false } = this.#options
    for (const run of backlog) if (hasWork(run)) this.#keep(run, this.#placeOf(run))
    const waiting = backlog.filter(
      (run) => waitsForPlace(run) && !this.#places.get(formatKey(run.metadata)),
    )
    const waiters = waiting.map((run) => waiterOf(run, this.#placeOf(run)))
    for (const waiter of waiters.sort(cameBefore)) this.#room.add(waiter)
    this.#fill()
  }

  #arrive(run: AgentRun): void {
    this.#room.add(waiterOf(run, this.#placeOf(run)))
    this.#fill()
  }

  /** The run has a place, whoever gave it. */
  #keep(run: AgentRun, place: Place): void {
    const key = formatKey(run.metadata)
    const { uid = '', resourceVersion: revision = '' } = run.metadata
    this.#offers.delete(key)
    this.#room.remove(key)
    const at = admittedAt(run)
    const window = at === undefined ? undefined : this.#windowAt(at)
    const hold = this.#places.get(key)
    if (hold?.uid === uid && isSamePlace(hold.place, place)) {
      hold.revision = revision
      if (window !== undefined) this.#places.confirm(hold, window)
      return
    }
    this.#places.take({ key, uid, place, window, revision })
    if (hold) this.#fill()
  }

  #leave(key: string): void {
    this.#offers.delete(key)
    this.#room.remove(key)
    const scopes = this.#places.get(key)?.place.scopes ?? []
    const reached = scopes.filter((scope) => !this.#places.in(scope))
    if (this.#places.release(key)) this.#fill(reached)
  }

  /**
   * Gives away what is free. Nothing is, as far as is known, before all that was there at the start has been counted.
   * `freed`: only where a limit was reached can somebody be waiting for it, and nobody else is once it is reached again.
   */
  #fill(freed?: readonly Scope[]): void {
    if (this.#backlog) return
    const until = this.#options.clock.elapsed() + offerMs
    while (!freed?.every((scope) => !this.#places.in(scope))) {
      const next = this.#room.takeNext(this.#places)
      if (!next) break
      const { key, uid, place } = next
      this.#places.take({ key, uid, place, window: undefined, revision: undefined })
      this.#offers.set(key, until)
      this.#enqueue?.(key, { priority: wakePriority })
    }
    this.#setAlarm()
  }

  #takeBackOffers(): void {
    const now = this.#options.clock.elapsed()
    for (const [key, until] of this.#offers) {
      if (until > now) break
      this.#leave(key)
    }
  }

  /** Starts of runs that ended in the window in which they began. Of those that had a place here, the start is counted. */
  #countPast(run: AgentRun): void {
    const at = admittedAt(run)
    const window = this.#places.window
    if (at === undefined || this.#windowAt(at) !== window || !this.#backlog) return
    for (const scope of this.#placeOf(run).scopes) countStart(scope, window)
  }

  /** What began and ended between two states that are seen has begun too. */
  #confirm(run: AgentRun): void {
    const at = admittedAt(run)
    const hold = this.#places.get(formatKey(run.metadata))
    if (at === undefined || hold === undefined || hold.uid !== run.metadata.uid) return
    this.#places.confirm(hold, this.#windowAt(at))
  }

  #turnWindow(): void {
    const window = this.#windowAt(this.#options.clock.now().getTime())
    if (window === this.#places.window) return
    this.#places.turnTo(window)
    this.#scopes.sweep(window)
    this.#fill()
  }

  #windowAt(time: number): number {
    return Math.floor(time / this.#options.limits.rate.windowMs)
  }

  /** Where the run was told of its place here, it is known better than the run itself shows. */
  #placeGivenTo({ metadata }: AgentRun): Place | undefined {
    const hold = this.#places.get(formatKey(metadata))
    return hold?.uid === metadata.uid && hold?.revision !== undefined ? hold.place : undefined
  }

  #placeOf(run: AgentRun): Place {
    return this.#scopes.placeOf(run.metadata.namespace ?? '', demandOf(run))
  }

  /** The next time at which something is due: an offer ends, or a window while somebody waits. */
  #setAlarm(): void {
    const { clock, limits } = this.#options
    const { rate } = limits
    const now = clock.elapsed()
    const [offerEnd = Number.POSITIVE_INFINITY] = this.#offers.values()
    const hasRate = rate.cluster + rate.perNamespace + rate.perRepo > 0
    const windowEnd =
      hasRate && this.#room.size > 0
        ? now + rate.windowMs - (clock.now().getTime() % rate.windowMs)
        : Number.POSITIVE_INFINITY
    const at = Math.min(offerEnd, windowEnd)
    if (this.#alarm && this.#alarm.at <= at) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (at === Number.POSITIVE_INFINITY) return
    const cancel = clock.after(at - now, () => {
      this.#alarm = undefined
      this.#turnWindow()
      this.#takeBackOffers()
      this.#setAlarm()
    })
    this.#alarm = { at, cancel }
  }
}

/** A run that is woken comes within moments; one that does not has found something else to wait for, and asks anew. */
const offerMs = 30_000

/** Before what merely changed: a place that is kept for somebody is a place that nobody uses. */
const wakePriority = 10

function waiterOf(run: AgentRun, place: Place): Waiter {
  const { uid = '', creationTimestamp, resourceVersion = '' } = run.metadata
  return {
    key: formatKey(run.metadata),
    uid,
    priority: Number(run.spec.priority ?? 0),
    arrivedAt: Date.parse(creationTimestamp ?? '') || 0,
    place,
    revision: resourceVersion,
  }
}

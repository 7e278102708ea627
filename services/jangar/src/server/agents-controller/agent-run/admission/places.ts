import type { Room } from './line.ts'
import { countStart, isFull, isSpent, type Scope, uncountStart } from './scope.ts'
import type { Place } from './scopes.ts'

/** A place that is taken, by a run that works or by one that was told to come. */
export interface Hold {
  readonly key: string
  readonly uid: string
  readonly place: Place
  /** The version of the run that was told of its place; undefined as long as it has not come for it. */
  revision: string | undefined
  /** The window in which it started; undefined as long as its status does not say that it has a place. */
  window: number | undefined
}

export interface Obstacle {
  readonly kind: 'concurrency' | 'rate'
  readonly scope: Scope
}

/** Who has a place, counted in each scope. */
export class Places implements Room {
  readonly #holds = new Map<string, Hold>()
  /** Those whose start is still to come: it counts in the window in which it is said. */
  readonly #starting = new Set<Hold>()
  #window = 0

  /** The number of the window of time that starts are counted in now. */
  get window(): number {
    return this.#window
  }

  get(key: string): Hold | undefined {
    return this.#holds.get(key)
  }

  /** Nobody is refused by this: those who are to start were let in within one window, so they fit into the next as well. */
  turnTo(window: number): void {
    this.#window = window
    for (const { place } of this.#starting) count(place, window)
  }

  /** Whether the limits allow it or not: who may be refused is asked `for` before. Whoever has a place already moves. */
  take(hold: Hold): void {
    this.release(hold.key)
    this.#holds.set(hold.key, hold)
    for (const scope of hold.place.scopes) {
      scope.running += 1
      scope.users += 1
    }
    if (hold.window === undefined) this.#starting.add(hold)
    if ((hold.window ?? this.#window) === this.#window) count(hold.place, this.#window)
  }

  /** It is said that the run has its place, since the window. */
  confirm(hold: Hold, window: number): void {
    if (hold.window !== undefined) return
    hold.window = window
    this.#starting.delete(hold)
    if (window !== this.#window) uncount(hold.place, this.#window)
  }

  /** Whether there was something to give back. A start that did not come about is not counted. */
  release(key: string): boolean {
    const hold = this.#holds.get(key)
    if (!hold) return false
    this.#holds.delete(key)
    for (const scope of hold.place.scopes) {
      scope.running -= 1
      scope.users -= 1
    }
    if (this.#starting.delete(hold)) uncount(hold.place, this.#window)
    return true
  }

  /** What keeps a run from a place; the narrowest scope first, and running ones before the rate. */
  obstacle({ scopes }: Place): Obstacle | undefined {
    const full = scopes.find(isFull)
    if (full) return { kind: 'concurrency', scope: full }
    const spent = scopes.find((scope) => isSpent(scope, this.#window))
    return spent && { kind: 'rate', scope: spent }
  }

  in(scope: Scope): boolean {
    return !isFull(scope) && !isSpent(scope, this.#window)
  }

  /** Asked of thousands at a time. */
  for({ place }: { readonly place: Place }): boolean {
    for (const scope of place.scopes) if (!this.in(scope)) return false
    return true
  }
}

function count({ scopes }: Place, window: number): void {
  for (const scope of scopes) countStart(scope, window)
}

function uncount({ scopes }: Place, window: number): void {
  for (const scope of scopes) uncountStart(scope, window)
}

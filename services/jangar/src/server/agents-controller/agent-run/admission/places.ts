import { type Room } from './line.ts'
import { countStart, isFull, isSpent, type Scope, uncountStart } from './scope.ts'
import type { Place } from './scopes.ts'

/** A place that is taken, by a run that works or by one that was told to come. */
export interface Hold {
  readonly key: string
  readonly uid: string
  readonly place: Place
  /** The window in which the start was counted. */
  readonly window: number
  /** The version of the run that was told of its place; undefined as long as it has not come for it. */
  revision: string | undefined
}

export interface Obstacle {
  readonly kind: 'concurrency' | 'rate'
  readonly scope: Scope
}

/** Who has a place, counted in each scope. */
export class Places implements Room {
  readonly #holds = new Map<string, Hold>()
  readonly #window: () => number

  /** `window` numbers the windows of time in which starts are counted. */
  constructor(window: () => number) {
    this.#window = window
  }

  get(key: string): Hold | undefined {
    return this.#holds.get(key)
  }

  /** Whether the limits allow it or not: who may be refused is asked `for` before. */
  take(hold: Hold): Hold {
    this.release(hold.key)
    this.#holds.set(hold.key, hold)
    for (const scope of hold.place.scopes) {
      scope.running += 1
      scope.users += 1
      countStart(scope, hold.window)
    }
    return hold
  }

  /** Whether there was something to give back. A start that did not come about is not counted. */
  release(key: string): boolean {
    const hold = this.#holds.get(key)
    if (!hold) return false
    this.#holds.delete(key)
    for (const scope of hold.place.scopes) {
      scope.running -= 1
      scope.users -= 1
      if (hold.revision === undefined) uncountStart(scope, hold.window)
    }
    return true
  }

  obstacle({ scopes }: Place): Obstacle | undefined {
    const full = scopes.find(isFull)
    if (full) return { kind: 'concurrency', scope: full }
    const window = this.#window()
    const spent = scopes.find((scope) => isSpent(scope, window))
    return spent && { kind: 'rate', scope: spent }
  }

  inNamespace(namespace: Scope): boolean {
    return !isFull(namespace) && !isSpent(namespace, this.#window())
  }

  for({ place }: { readonly place: Place }): boolean {
    return this.obstacle(place) === undefined
  }
}

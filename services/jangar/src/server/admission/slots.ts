import type { Capacity } from './fair-queue.ts'
import { countStart, isFull, isRateExhausted, type Scope, uncountStart } from './scope.ts'
import type { Slot } from './scopes.ts'

/** A slot in use, or reserved for a run that has been requeued to claim it. */
interface Hold {
  readonly key: string
  readonly uid: string
  readonly slot: Slot
  /** The resourceVersion of the run when it claimed the slot; undefined while the slot is reserved. */
  resourceVersion: string | undefined
  /** The window in which the run started; undefined until its status shows that it was admitted. */
  window: number | undefined
}

export interface Obstacle {
  readonly kind: 'concurrency' | 'rate'
  readonly scope: Scope
}

/** The slots in use, counted in each scope. */
export class Slots implements Capacity {
  readonly #holds = new Map<string, Hold>()
  /** Holds without a confirmed start. A start counts in the window in which it is confirmed. */
  readonly #starting = new Set<Hold>()
  #window = 0

  /** The number of the current rate window. */
  get window(): number {
    return this.#window
  }

  get(key: string): Hold | undefined {
    return this.#holds.get(key)
  }

  /** Unconfirmed starts count in the new window. They fit: all of them were admitted within one window. */
  turnTo(window: number): void {
    this.#window = window
    for (const { slot } of this.#starting) count(slot, window)
  }

  /** Takes a slot without checking limits; `isFreeFor` does that. A run that has another slot gives it up. */
  take(hold: Hold): void {
    this.release(hold.key)
    this.#holds.set(hold.key, hold)
    for (const scope of hold.slot.scopes) {
      scope.running += 1
      scope.users += 1
    }
    if (hold.window === undefined) this.#starting.add(hold)
    if ((hold.window ?? this.#window) === this.#window) count(hold.slot, this.#window)
  }

  /** Records that the status of the run shows its admission, in this window. */
  confirm(hold: Hold, window: number): void {
    if (hold.window !== undefined) return
    hold.window = window
    this.#starting.delete(hold)
    if (window !== this.#window) uncount(hold.slot, this.#window)
  }

  /** Whether the run had a slot. A start that did not happen is not counted. */
  release(key: string): boolean {
    const hold = this.#holds.get(key)
    if (!hold) return false
    this.#holds.delete(key)
    for (const scope of hold.slot.scopes) {
      scope.running -= 1
      scope.users -= 1
    }
    if (this.#starting.delete(hold)) uncount(hold.slot, this.#window)
    return true
  }

  /** What keeps a run from a slot: the narrowest scope first, and concurrency before rate. */
  obstacle({ scopes }: Slot): Obstacle | undefined {
    const full = scopes.find(isFull)
    if (full) return { kind: 'concurrency', scope: full }
    const exhausted = scopes.find((scope) => isRateExhausted(scope, this.#window))
    return exhausted && { kind: 'rate', scope: exhausted }
  }

  isFreeIn(scope: Scope): boolean {
    return !isFull(scope) && !isRateExhausted(scope, this.#window)
  }

  isFreeFor({ slot }: { readonly slot: Slot }): boolean {
    for (const scope of slot.scopes) if (!this.isFreeIn(scope)) return false
    return true
  }
}

function count({ scopes }: Slot, window: number): void {
  for (const scope of scopes) countStart(scope, window)
}

function uncount({ scopes }: Slot, window: number): void {
  for (const scope of scopes) uncountStart(scope, window)
}

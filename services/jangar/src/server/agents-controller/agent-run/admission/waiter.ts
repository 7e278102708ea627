import type { Place } from './scopes.ts'

/** A run that waits for a place. */
export interface Waiter {
  readonly key: string
  readonly uid: string
  readonly priority: number
  /** When the run was created, in milliseconds since 1970: its place in every queue survives a restart. */
  readonly arrivedAt: number
  readonly place: Place
  /** The version of the run that asked last. */
  revision: string
}

/** Kept in the order of arrival. */
export type Arrivals = Waiter[]

export function insertArrival(arrivals: Arrivals, waiter: Waiter): void {
  arrivals.splice(arrivalIndex(arrivals, waiter), 0, waiter)
}

export function removeArrival(arrivals: Arrivals, waiter: Waiter): void {
  const index = arrivalIndex(arrivals, waiter)
  if (arrivals[index] === waiter) arrivals.splice(index, 1)
}

/** How many came before. */
export function arrivalIndex(arrivals: Arrivals, waiter: Waiter): number {
  let from = 0
  let to = arrivals.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = arrivals[middle]
    if (other !== undefined && cameBefore(other, waiter) < 0) from = middle + 1
    else to = middle
  }
  return from
}

export function cameBefore(a: Waiter, b: Waiter): number {
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt - b.arrivedAt
  if (a.key === b.key) return 0
  return a.key < b.key ? -1 : 1
}

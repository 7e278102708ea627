import type { Slot } from './scopes.ts'

/** A run that waits for a slot. */
export interface QueuedRun {
  readonly key: string
  readonly uid: string
  readonly priority: number
  /** When the run was created, in milliseconds since 1970: its position in the queue survives a restart. */
  readonly arrivedAt: number
  readonly slot: Slot
  /** The resourceVersion of the run in its last reconcile. */
  resourceVersion: string
}

/** In order of arrival. */
export type Arrivals = QueuedRun[]

export function insertArrival(arrivals: Arrivals, run: QueuedRun): void {
  arrivals.splice(arrivalIndex(arrivals, run), 0, run)
}

export function removeArrival(arrivals: Arrivals, run: QueuedRun): void {
  const index = arrivalIndex(arrivals, run)
  if (arrivals[index] === run) arrivals.splice(index, 1)
}

/** The number of runs that arrived earlier. */
export function arrivalIndex(arrivals: Arrivals, run: QueuedRun): number {
  let from = 0
  let to = arrivals.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = arrivals[middle]
    if (other !== undefined && compareArrival(other, run) < 0) from = middle + 1
    else to = middle
  }
  return from
}

export function compareArrival(a: QueuedRun, b: QueuedRun): number {
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt - b.arrivedAt
  if (a.key === b.key) return 0
  return a.key < b.key ? -1 : 1
}

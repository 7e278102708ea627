import {
  type Arrivals,
  arrivalIndex,
  insertArrival,
  type QueuedRun,
  removeArrival,
} from './queued-run.ts'
import type { Scope } from './scope.ts'

/** The position of a run in the queue, counted from 1. */
export interface Rank {
  readonly overall: number
  readonly inNamespace: number
  readonly inRepository: number
}

/** Free capacity, as the queue sees it. */
export interface Capacity {
  /** Whether the scope can take a run at all: saves checking each run in it. */
  isFreeIn(scope: Scope): boolean
  isFreeFor(run: QueuedRun): boolean
}

/** The runs of a namespace at one priority, by repository; the repository whose turn it is comes first. */
interface NamespaceGroup {
  readonly namespace: Scope
  readonly repositories: Map<string, Arrivals>
  size: number
}

/** The runs of one priority, by namespace; the namespace whose turn it is comes first. */
interface Level {
  readonly priority: number
  readonly groups: Map<string, NamespaceGroup>
  size: number
}

/**
 * A queue that shares slots fairly: highest priority first; within a priority namespaces take turns, within a namespace
 * repositories take turns, and for a repository the oldest run comes first. A run without free capacity does not block
 * others.
 */
export class FairQueue {
  /** Highest priority first. */
  readonly #levels: Level[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(run: QueuedRun): void {
    const level = this.#level(run.priority)
    const group = groupOf(level, run)
    const arrivals = arrivalsOf(group, run)
    insertArrival(arrivals, run)
    group.size += 1
    level.size += 1
    this.#size += 1
  }

  remove(run: QueuedRun): void {
    const { level, group, arrivals } = this.#find(run)
    if (!level || !group || !arrivals) return
    removeArrival(arrivals, run)
    if (arrivals.length === 0) group.repositories.delete(run.slot.repository)
    group.size -= 1
    if (group.size === 0) level.groups.delete(group.namespace.key)
    level.size -= 1
    if (level.size === 0) this.#levels.splice(this.#levels.indexOf(level), 1)
    this.#size -= 1
  }

  /** Removes the first run that has free capacity. Its namespace and repository move to the end of their rounds. */
  takeNext(capacity: Capacity): QueuedRun | undefined {
    for (const level of this.#levels) {
      for (const group of level.groups.values()) {
        if (!capacity.isFreeIn(group.namespace)) continue
        const next = nextOf(group, capacity)
        if (!next) continue
        moveToEnd(level.groups, group.namespace.key)
        moveToEnd(group.repositories, next.slot.repository)
        this.remove(next)
        return next
      }
    }
    return undefined
  }

  /** The position of the run, assuming free capacity for all runs. */
  rank(run: QueuedRun): Rank {
    const { level, group, arrivals } = this.#find(run)
    if (!level || !group || !arrivals)
      return { overall: this.#size + 1, inNamespace: 1, inRepository: 1 }
    const inRepository = arrivalIndex(arrivals, run) + 1
    const inNamespace = rankInRound(
      group.repositories,
      arrivals,
      inRepository,
      lengthOf,
      group.size,
    )
    const inLevel = rankInRound(level.groups, group, inNamespace, sizeOf, level.size)
    return { overall: this.#above(level) + inLevel, inNamespace, inRepository }
  }

  #above(level: Level): number {
    let above = 0
    for (const other of this.#levels) {
      if (other === level) break
      above += other.size
    }
    return above
  }

  #find({ priority, slot }: QueuedRun) {
    const level = this.#levels.find((one) => one.priority === priority)
    const group = level?.groups.get(slot.namespace.key)
    return { level, group, arrivals: group?.repositories.get(slot.repository) }
  }

  #level(priority: number): Level {
    const at = this.#levels.findIndex((one) => one.priority <= priority)
    const found = this.#levels[at]
    if (found?.priority === priority) return found
    const level = { priority, groups: new Map(), size: 0 }
    this.#levels.splice(at < 0 ? this.#levels.length : at, 0, level)
    return level
  }
}

function nextOf(group: NamespaceGroup, capacity: Capacity): QueuedRun | undefined {
  for (const arrivals of group.repositories.values()) {
    for (const run of arrivals) if (capacity.isFreeFor(run)) return run
  }
  return undefined
}

/**
 * The overall rank of the run that is the `rank`-th of its own group, if groups take turns. With very many groups it is
 * an estimate that assumes a run of every group in each round.
 */
function rankInRound<T>(
  round: ReadonlyMap<string, T>,
  own: T,
  rank: number,
  sizeOf: (one: T) => number,
  all: number,
): number {
  if (round.size > maxCounted) return Math.min(rank * round.size, all)
  let total = rank
  let isBehind = false
  for (const one of round.values()) {
    if (one === own) isBehind = true
    else total += Math.min(sizeOf(one), isBehind ? rank - 1 : rank)
  }
  return total
}

const maxCounted = 256

function groupOf(level: Level, { slot }: QueuedRun): NamespaceGroup {
  const { namespace } = slot
  const known = level.groups.get(namespace.key)
  if (known) return known
  const group = { namespace, repositories: new Map(), size: 0 }
  level.groups.set(namespace.key, group)
  return group
}

function arrivalsOf(group: NamespaceGroup, { slot }: QueuedRun): Arrivals {
  const known = group.repositories.get(slot.repository)
  if (known) return known
  const arrivals: Arrivals = []
  group.repositories.set(slot.repository, arrivals)
  return arrivals
}

function moveToEnd<T>(round: Map<string, T>, key: string): void {
  const one = round.get(key)
  if (one === undefined) return
  round.delete(key)
  round.set(key, one)
}

function lengthOf(arrivals: Arrivals): number {
  return arrivals.length
}

function sizeOf({ size }: NamespaceGroup): number {
  return size
}

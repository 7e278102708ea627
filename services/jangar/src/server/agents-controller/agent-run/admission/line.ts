import type { Scope } from './scope.ts'
import { type Arrivals, arrivalIndex, insertArrival, removeArrival, type Waiter } from './waiter.ts'

/** Counted from 1. */
export interface Rank {
  readonly overall: number
  readonly inNamespace: number
  readonly inRepository: number
}

export interface Room {
  /** Whether the namespace, or the whole cluster, can take anybody at all; saves asking for each run in it. */
  in(scope: Scope): boolean
  for(waiter: Waiter): boolean
}

/** The runs of a namespace at one priority, by repository; whose turn it is comes first. */
interface Crowd {
  readonly namespace: Scope
  readonly flows: Map<string, Arrivals>
  size: number
}

/** The runs of one priority, by namespace; whose turn it is comes first. */
interface Level {
  readonly priority: number
  readonly crowds: Map<string, Crowd>
  size: number
}

/**
 * Runs in the order in which they get places: the highest priority first, in it one of each namespace in turn, in a
 * namespace one of each repository in turn, for a repository the oldest first. Whoever finds no room holds up nobody.
 */
export class Line {
  /** The highest first. */
  readonly #levels: Level[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(waiter: Waiter): void {
    const level = this.#level(waiter.priority)
    const crowd = crowdOf(level, waiter)
    const flow = flowOf(crowd, waiter)
    insertArrival(flow, waiter)
    crowd.size += 1
    level.size += 1
    this.#size += 1
  }

  remove(waiter: Waiter): void {
    const { level, crowd, flow } = this.#find(waiter)
    if (!level || !crowd || !flow) return
    removeArrival(flow, waiter)
    if (flow.length === 0) crowd.flows.delete(waiter.place.repository)
    crowd.size -= 1
    if (crowd.size === 0) level.crowds.delete(crowd.namespace.key)
    level.size -= 1
    if (level.size === 0) this.#levels.splice(this.#levels.indexOf(level), 1)
    this.#size -= 1
  }

  /** Takes out the first for whom there is room; his namespace and repository go to the end of their rounds. */
  takeNext(room: Room): Waiter | undefined {
    for (const level of this.#levels) {
      for (const crowd of level.crowds.values()) {
        if (!room.in(crowd.namespace)) continue
        const next = nextOf(crowd, room)
        if (!next) continue
        toTheEnd(level.crowds, crowd.namespace.key)
        toTheEnd(crowd.flows, next.place.repository)
        this.remove(next)
        return next
      }
    }
    return undefined
  }

  /** Where the run stands if all have equal room. */
  rank(waiter: Waiter): Rank {
    const { level, crowd, flow } = this.#find(waiter)
    if (!level || !crowd || !flow)
      return { overall: this.#size + 1, inNamespace: 1, inRepository: 1 }
    const inRepository = arrivalIndex(flow, waiter) + 1
    const inNamespace = rankInRound(crowd.flows, flow, inRepository, lengthOf, crowd.size)
    const inLevel = rankInRound(level.crowds, crowd, inNamespace, sizeOf, level.size)
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

  #find({ priority, place }: Waiter) {
    const level = this.#levels.find((one) => one.priority === priority)
    const crowd = level?.crowds.get(place.namespace.key)
    return { level, crowd, flow: crowd?.flows.get(place.repository) }
  }

  #level(priority: number): Level {
    const at = this.#levels.findIndex((one) => one.priority <= priority)
    const found = this.#levels[at]
    if (found?.priority === priority) return found
    const level = { priority, crowds: new Map(), size: 0 }
    this.#levels.splice(at < 0 ? this.#levels.length : at, 0, level)
    return level
  }
}

function nextOf(crowd: Crowd, room: Room): Waiter | undefined {
  for (const flow of crowd.flows.values()) {
    for (const waiter of flow) if (room.for(waiter)) return waiter
  }
  return undefined
}

/**
 * In rounds of one each, beginning with the first: who is the `rank`-th of his own comes after so many of the others. For
 * very many it is an estimate, as if all of them had somebody in each round.
 */
function rankInRound<T>(
  round: ReadonlyMap<string, T>,
  own: T,
  rank: number,
  sizeOf: (one: T) => number,
  all: number,
): number {
  if (round.size > mostCounted) return Math.min(rank * round.size, all)
  let total = rank
  let isBehind = false
  for (const one of round.values()) {
    if (one === own) isBehind = true
    else total += Math.min(sizeOf(one), isBehind ? rank - 1 : rank)
  }
  return total
}

const mostCounted = 256

function crowdOf(level: Level, { place }: Waiter): Crowd {
  const { namespace } = place
  const known = level.crowds.get(namespace.key)
  if (known) return known
  const crowd = { namespace, flows: new Map(), size: 0 }
  level.crowds.set(namespace.key, crowd)
  return crowd
}

function flowOf(crowd: Crowd, { place }: Waiter): Arrivals {
  const known = crowd.flows.get(place.repository)
  if (known) return known
  const flow: Arrivals = []
  crowd.flows.set(place.repository, flow)
  return flow
}

function toTheEnd<T>(round: Map<string, T>, key: string): void {
  const one = round.get(key)
  if (one === undefined) return
  round.delete(key)
  round.set(key, one)
}

function lengthOf(flow: Arrivals): number {
  return flow.length
}

function sizeOf({ size }: Crowd): number {
  return size
}

import type { Budget } from '@agents/jangar-api'
import {
  type ComputeResource,
  computeResources,
  formatAmount,
  type ModelResource,
  modelResources,
  type Resource,
} from './amounts.ts'
import { type BudgetTerms, readBudget } from './read-budget.ts'
import { always, type Window, windowAt } from './window.ts'
import type { UsedAmounts, Work } from './work.ts'

/** What one run counts in one Budget. */
interface Part {
  readonly used: Readonly<Record<ModelResource, number>>
  readonly unpriced: number
  readonly reserved: Readonly<Record<ModelResource, number>>
  readonly requests: Readonly<Record<ComputeResource, number>>
  readonly isActive: boolean
}

/** Why a Budget lets a run wait. */
interface Shortage {
  readonly message: string
  /** When usage is reset, if nothing else can help. */
  readonly eligibleAt?: Date
}

const none = { tokens: 0, dollars: 0 }
const noRequests = { cpu: 0, memory: 0, gpu: 0 }

/** The account of one Budget: sums over the runs that count against it, derived again in each window. */
export class BudgetEntry {
  readonly budget: Budget
  readonly terms: BudgetTerms
  #window: Window
  readonly used = { ...none, unpriced: 0 }
  readonly reserved = { ...none }
  readonly requests = { ...noRequests }
  active = 0
  /** Of runs that the cluster no longer holds, as the ledger says. Undefined until it is read. */
  #past: UsedAmounts | undefined
  readonly #parts = new Map<string, Part>()

  constructor(budget: Budget, now: number) {
    this.budget = budget
    this.terms = readBudget(budget)
    this.#window = this.#windowAt(now)
  }

  get window(): Window {
    return this.#window
  }

  get activeKeys(): string[] {
    return [...this.#parts].filter(([, { isActive }]) => isActive).map(([key]) => key)
  }

  counts(key: string): boolean {
    return this.#parts.has(key)
  }

  concerns(work: Pick<Work, 'agent' | 'labels' | 'named'>): boolean {
    return this.terms.includes(work) || work.named === this.budget.metadata.name
  }

  /** Whether the run is in its scope, and active or ended in its window. */
  covers(work: Work): boolean {
    return this.concerns(work) && (work.isActive || (work.isFinished && this.#isInWindow(work)))
  }

  get isPastKnown(): boolean {
    return this.#past !== undefined
  }

  setPast(past: UsedAmounts | undefined): void {
    for (const resource of [...modelResources, 'unpriced'] as const) {
      this.used[resource] += (past?.[resource] ?? 0) - (this.#past?.[resource] ?? 0)
    }
    this.#past = past
  }

  /** Whether a new window has begun: all runs have to be set again. */
  turn(now: number): boolean {
    if (now < this.#window.end) return false
    this.#window = this.#windowAt(now)
    this.setPast(undefined)
    for (const key of [...this.#parts.keys()]) this.remove(key)
    return true
  }

  set(key: string, work: Work): void {
    this.remove(key)
    const part = this.#partOf(work)
    if (part === undefined) return
    this.#parts.set(key, part)
    this.#add(part, 1)
  }

  /** Whether it held something that others may use now. */
  remove(key: string): boolean {
    const part = this.#parts.get(key)
    if (part === undefined) return false
    this.#parts.delete(key)
    this.#add(part, -1)
    return part.isActive
  }

  /** What keeps the run from starting. What the run itself holds does not count. */
  shortage(key: string, work: Work): Shortage | undefined {
    const { limits, onExceeded } = this.terms
    const own = this.#parts.get(key)
    for (const resource of onExceeded === 'Warn' ? [] : modelResources) {
      const limit = limits[resource]
      if (limit === undefined) continue
      const used = this.used[resource] - (own?.used[resource] ?? 0)
      const reserved = this.reserved[resource] - (own?.reserved[resource] ?? 0)
      const needed = this.#reserveOf(work, resource)
      if (used + needed > limit || used >= limit) {
        return { ...this.#short(resource, limit, needed, 'used up'), ...this.#reset() }
      }
      const held = used + reserved
      if (held + needed > limit || held >= limit) {
        return this.#short(resource, limit, needed, 'used or reserved by active runs')
      }
    }
    for (const resource of computeResources) {
      const limit = limits[resource]
      const needed = work.requests[resource] ?? 0
      if (limit === undefined || needed === 0) continue
      const held = this.requests[resource] - (own?.requests[resource] ?? 0)
      if (held + needed > limit)
        return this.#short(resource, limit, needed, 'requested by active runs')
    }
    return undefined
  }

  /** The resource whose limit is reached, or passed, by what was used. */
  exceeded(isPassed = false): ModelResource | undefined {
    return modelResources.find((resource) => {
      const limit = this.terms.limits[resource]
      if (limit === undefined) return false
      return isPassed ? this.used[resource] > limit : this.used[resource] >= limit
    })
  }

  amountOf(resource: Resource): number {
    return resource === 'tokens' || resource === 'dollars'
      ? this.used[resource]
      : this.requests[resource]
  }

  /** Stays the same while the limit is reached, so that waiting runs are not written again and again. */
  #short(resource: Resource, limit: number, needed: number, how: string): Shortage {
    const text = (amount: number) => `${formatAmount(resource, amount)} ${units[resource]}`
    const what = needed > 0 ? `; the run needs ${text(needed)}` : ''
    const { name } = this.budget.metadata
    return { message: `Budget ${name}: the limit of ${text(limit)} is ${how}${what}` }
  }

  #reset(): { readonly eligibleAt?: Date } {
    const { end } = this.#window
    return Number.isFinite(end) ? { eligibleAt: new Date(end) } : {}
  }

  /** A run can reserve more than the Budget demands, and never less: else a tenant could reserve nothing. */
  #reserveOf(work: Work, resource: ModelResource): number {
    return Math.max(this.terms.reservation[resource] ?? 0, work.reserve[resource] ?? 0)
  }

  #partOf(work: Work): Part | undefined {
    if (!this.concerns(work)) return undefined
    const { isActive, used, requests } = work
    const isInWindow = this.#isInWindow(work)
    if (!isActive && (!isInWindow || used.tokens === 0)) return undefined
    const left = (resource: ModelResource) =>
      Math.max(0, this.#reserveOf(work, resource) - used[resource])
    return {
      used: isInWindow ? used : none,
      unpriced: isInWindow ? used.unpriced : 0,
      reserved: isActive ? { tokens: left('tokens'), dollars: left('dollars') } : none,
      requests: isActive ? { ...noRequests, ...requests } : noRequests,
      isActive,
    }
  }

  #isInWindow({ usedAt }: Work): boolean {
    const { start, end } = this.#window
    return usedAt === undefined || (usedAt >= start && usedAt < end)
  }

  #add(part: Part, sign: 1 | -1): void {
    for (const resource of modelResources) {
      this.used[resource] += sign * part.used[resource]
      this.reserved[resource] += sign * part.reserved[resource]
    }
    for (const resource of computeResources) {
      this.requests[resource] += sign * part.requests[resource]
    }
    this.used.unpriced += sign * part.unpriced
    if (part.isActive) this.active += sign
  }

  #windowAt(now: number): Window {
    const { window = 'none', timezone } = this.budget.spec ?? {}
    return windowAt(now, window, timezone) ?? always
  }
}

const units: Readonly<Record<Resource, string>> = {
  tokens: 'tokens',
  dollars: 'dollars',
  cpu: 'CPUs',
  memory: 'of memory',
  gpu: 'GPUs',
}

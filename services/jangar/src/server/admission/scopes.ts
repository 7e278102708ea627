import type { ControllersConfig } from '../../config/controllers.ts'
import { repositoryName } from '../../run-contract/repository/repository-name.ts'
import { newScope, type Scope, type ScopeLimits, unlimited } from './scope.ts'

export type AdmissionLimits = Pick<
  ControllersConfig['agents'],
  'concurrency' | 'repoConcurrency' | 'queue' | 'rate'
>

/** What a run counts against, beside its namespace. */
export interface Demand {
  readonly agent?: string | undefined
  /** As owner/name; case-insensitive. */
  readonly repository?: string | undefined
  /** Workspaces that one run at a time may use; sorted. */
  readonly workspaces?: readonly string[]
}

/** A unit of capacity: the scopes that count the run which holds it. */
export interface Slot {
  /** The narrowest first. */
  readonly scopes: readonly Scope[]
  readonly namespace: Scope
  /** In lower case; empty if the run has none. */
  readonly repository: string
}

/** The scopes that runs refer to, created as needed. */
export class Scopes {
  readonly cluster: Scope
  readonly #limits: AdmissionLimits
  readonly #overrides: ReadonlyMap<string, number>
  readonly #scopes = new Map<string, Scope>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
    const { overrides } = limits.repoConcurrency
    this.#overrides = new Map(Object.entries(overrides).map(([name, most]) => [fold(name), most]))
    this.cluster = newScope('cluster', 'the platform', limitsIn(limits, 'cluster'))
  }

  slotOf(namespaceName: string, { agent, repository, workspaces = [] }: Demand): Slot {
    const limits = this.#limits
    const namespace = this.#scope(`namespace/${namespaceName}`, `namespace ${namespaceName}`, () =>
      limitsIn(limits, 'perNamespace'),
    )
    const name = fold(repository ?? '')
    const scopes = [namespace, this.cluster]
    if (name !== '') {
      const limitsOf = () => this.#repositoryLimits(name)
      scopes.unshift(this.#scope(`repository/${name}`, `repository ${name}`, limitsOf))
    }
    if (agent !== undefined) {
      const limitsOf = () => ({ ...unlimited, running: limits.concurrency.perAgent })
      scopes.unshift(this.#scope(`agent/${namespaceName}/${agent}`, `agent ${agent}`, limitsOf))
    }
    for (const one of workspaces) {
      const limitsOf = () => ({ ...unlimited, running: 1 })
      scopes.unshift(this.#scope(`workspace/${namespaceName}/${one}`, `Workspace ${one}`, limitsOf))
    }
    return { scopes, namespace, repository: name }
  }

  /** Forgets scopes that no run refers to and that have no starts in this window. */
  sweep(window: number): void {
    for (const [key, scope] of this.#scopes) {
      if (scope.users === 0 && scope.window !== window) this.#scopes.delete(key)
    }
  }

  get size(): number {
    return this.#scopes.size
  }

  #scope(key: string, name: string, limits: () => ScopeLimits): Scope {
    const known = this.#scopes.get(key)
    if (known) return known
    const scope = newScope(key, name, limits())
    this.#scopes.set(key, scope)
    return scope
  }

  #repositoryLimits(name: string): ScopeLimits {
    const { repoConcurrency, queue, rate } = this.#limits
    const most = this.#overrides.get(name) ?? repoConcurrency.default
    return {
      running: repoConcurrency.enabled ? most : 0,
      queued: queue.perRepo,
      started: rate.perRepo,
    }
  }
}

export function isSameSlot(a: Slot, b: Slot): boolean {
  return (
    a.scopes.length === b.scopes.length && a.scopes.every((scope, at) => scope === b.scopes[at])
  )
}

function limitsIn(
  { concurrency, queue, rate }: AdmissionLimits,
  key: 'cluster' | 'perNamespace',
): ScopeLimits {
  return { running: concurrency[key], queued: queue[key], started: rate[key] }
}

function fold(repository: string): string {
  return repositoryName(repository).toLowerCase()
}

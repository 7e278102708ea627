import type { ControllersConfig } from '../../../../config/controllers.ts'
import { type Bounds, newScope, type Scope, unbounded } from './scope.ts'

export type AdmissionLimits = Pick<
  ControllersConfig['agents'],
  'concurrency' | 'repoConcurrency' | 'queue' | 'rate'
>

/** Whom a run takes a place from, beside its namespace. */
export interface Demand {
  readonly agent: string
  /** As owner/name; its case does not matter. */
  readonly repository?: string | undefined
  /** Its work is there already: it has a place, whatever the limits say. */
  readonly started?: boolean
}

/** Everything that counts a run. */
export interface Place {
  /** The narrowest first. */
  readonly scopes: readonly Scope[]
  readonly namespace: Scope
  /** In lower case; empty without one. */
  readonly repository: string
}

/** The scopes that there are runs for. */
export class Scopes {
  readonly cluster: Scope
  readonly #limits: AdmissionLimits
  readonly #overrides: ReadonlyMap<string, number>
  readonly #scopes = new Map<string, Scope>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
    const { overrides } = limits.repoConcurrency
    this.#overrides = new Map(Object.entries(overrides).map(([name, most]) => [fold(name), most]))
    this.cluster = newScope('cluster', 'the platform', boundsOf(limits, 'cluster'))
  }

  placeOf(namespaceName: string, { agent, repository }: Demand): Place {
    const limits = this.#limits
    const namespace = this.#scope(`namespace/${namespaceName}`, `namespace ${namespaceName}`, () =>
      boundsOf(limits, 'perNamespace'),
    )
    const ofAgent = this.#scope(`agent/${namespaceName}/${agent}`, `agent ${agent}`, () => ({
      ...unbounded,
      running: limits.concurrency.perAgent,
    }))
    const name = fold(repository ?? '')
    if (name === '') {
      return { scopes: [ofAgent, namespace, this.cluster], namespace, repository: '' }
    }
    const ofRepository = this.#scope(`repository/${name}`, `repository ${name}`, () =>
      this.#boundsOfRepository(name),
    )
    const scopes = [ofAgent, ofRepository, namespace, this.cluster]
    return { scopes, namespace, repository: name }
  }

  /** Forgets what no run refers to and what says nothing about this window. */
  sweep(window: number): void {
    for (const [key, scope] of this.#scopes) {
      if (scope.users === 0 && scope.window !== window) this.#scopes.delete(key)
    }
  }

  get size(): number {
    return this.#scopes.size
  }

  #scope(key: string, name: string, bounds: () => Bounds): Scope {
    const known = this.#scopes.get(key)
    if (known) return known
    const scope = newScope(key, name, bounds())
    this.#scopes.set(key, scope)
    return scope
  }

  #boundsOfRepository(name: string): Bounds {
    const { repoConcurrency, queue, rate } = this.#limits
    const most = this.#overrides.get(name) ?? repoConcurrency.default
    return {
      running: repoConcurrency.enabled ? most : 0,
      queued: queue.perRepo,
      started: rate.perRepo,
    }
  }
}

export function isSamePlace(a: Place, b: Place): boolean {
  return (
    a.scopes.length === b.scopes.length && a.scopes.every((scope, at) => scope === b.scopes[at])
  )
}

function boundsOf(
  { concurrency, queue, rate }: AdmissionLimits,
  key: 'cluster' | 'perNamespace',
): Bounds {
  return { running: concurrency[key], queued: queue[key], started: rate[key] }
}

function fold(repository: string): string {
  return repository.trim().toLowerCase()
}

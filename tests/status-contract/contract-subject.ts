import type { Reconciler, Source } from '@agents/controller'
import type { AnyKind } from '@agents/crd'
import type { Condition, Informers, KubeClient, KubeObject } from '@agents/kube'

/** What the suite has to know about a kind; everything else it finds out from the reconciler. */
export interface ContractSubject {
  readonly kind: AnyKind
  /** A new object in which nothing is missing once its dependency is there, in the namespace where that will be. */
  readonly spec: object | ((namespace: string) => object)
  /** A change that the kind allows, and that moves the generation. */
  readonly changedSpec: object
  /** Everything around one reconciler. Made anew for each controller, as a restart of the process would. */
  world(ports: WorldPorts): World
  /** What the objects refer to; without it they are not ready. Absent where a kind refers to nothing. */
  readonly dependency?: Dependency
}

export interface WorldPorts {
  readonly client: KubeClient
  readonly informers: Informers
  readonly namespace: string
}

export interface World {
  readonly reconciler: Reconciler
  readonly sources: readonly Source[]
}

export interface Dependency {
  create(ports: Pick<WorldPorts, 'client' | 'namespace'>): Promise<unknown>
  delete(ports: Pick<WorldPorts, 'client' | 'namespace'>): Promise<unknown>
}

/** The part of a status that every kind has. */
export type Contract = KubeObject & {
  status: {
    observedGeneration: number
    updatedAt: string
    phase?: string
    startedAt?: string
    finishedAt?: string
    conditions: Required<Condition>[]
  }
}

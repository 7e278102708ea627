import type { Reconciler, Source } from '@agents/controller'
import type { AnyKind } from '@agents/crd'
import type { Condition, Informers, KubeClient, KubeObject } from '@agents/kube'

/** The facts about a kind that the suite needs; it derives everything else from the reconciler. */
export interface ContractSubject {
  readonly kind: AnyKind
  /** Spec of a new object that is complete once its dependency exists in the namespace. */
  readonly spec: object | ((namespace: string) => object)
  /** A change that the kind allows and that increments the generation. */
  readonly changedSpec: object
  /** Whether the kind refuses any change of its spec, including `changedSpec`. */
  readonly isImmutable?: true
  /** Creates the reconciler and its sources. Called for each controller, as after a restart of the process. */
  environment(ports: EnvironmentPorts): ControllerEnvironment
  /** The object that the subjects refer to; without it they are not ready. Undefined if a kind refers to nothing. */
  readonly dependency?: Dependency
}

export interface EnvironmentPorts {
  readonly client: KubeClient
  readonly informers: Informers
  readonly namespace: string
}

export interface ControllerEnvironment {
  readonly reconciler: Reconciler
  readonly sources: readonly Source[]
}

export interface Dependency {
  create(ports: Pick<EnvironmentPorts, 'client' | 'namespace'>): Promise<unknown>
  delete(ports: Pick<EnvironmentPorts, 'client' | 'namespace'>): Promise<unknown>
}

/** The part of a status that all kinds share. */
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

import type { GraphStep } from './layout.ts'

/** The parts of the status of a step that pages show. */
export interface StepStatus {
  readonly name: string
  readonly kind?: string
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly attempt?: number
  readonly attempts?: readonly StepAttempt[]
  readonly resourceRef?: StepRef
  /** Of a step with `forEach`. */
  readonly items?: readonly { readonly resourceRef?: StepRef }[]
}

export interface StepAttempt {
  readonly attempt: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly resourceRef?: StepRef
}

interface StepRef {
  readonly kind?: string
  readonly name?: string
  readonly uid?: string
}

interface SpecStep {
  readonly name: string
  readonly dependsOn?: readonly string[]
}

interface Graph {
  readonly steps: readonly GraphStep[]
  readonly stepStatuses: readonly StepStatus[]
}

/** The steps as the Orchestration had them when the run was accepted; those that only the run knows follow. */
export function graphOf(status: unknown): Graph {
  const { stepStatuses = [], orchestration } = (status ?? {}) as {
    readonly stepStatuses?: readonly StepStatus[]
    readonly orchestration?: { readonly spec?: { readonly steps?: readonly SpecStep[] } }
  }
  const declared = (orchestration?.spec?.steps ?? []).map(({ name, dependsOn = [] }) => ({
    name,
    dependsOn,
  }))
  const names = new Set(declared.map(({ name }) => name))
  const others = stepStatuses
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => ({ name, dependsOn: [] }))
  return { steps: [...declared, ...others], stepStatuses }
}

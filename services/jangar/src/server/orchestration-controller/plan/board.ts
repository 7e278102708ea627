import { type Decisions, decisions as standard } from './decisions.ts'
import type { PlanInput, PlanScope, PlanStep, StepPhase, StepState } from './plan-states.ts'
import { hasEnded } from './plan-states.ts'

/** The states of all steps while a plan is made. */
export class Board<Step extends PlanStep> {
  readonly input: PlanInput<Step>
  readonly decisions: Decisions
  readonly #states = new Map<string, StepState>()
  readonly #steps = new Map<string, Step>()
  /** All steps except those that run at the very end. */
  readonly main: readonly Step[]
  readonly last: readonly Step[]
  /** Names of the children that this plan creates. */
  readonly creating = new Set<string>()
  /** Whether a recorded child was not found. */
  missesChild = false
  #scope: PlanScope | undefined

  constructor(input: PlanInput<Step>, decisions: Decisions = standard) {
    this.input = input
    this.decisions = decisions
    this.main = input.graph.steps.filter((step) => !step.finally)
    this.last = input.graph.steps.filter((step) => step.finally)
    const known = new Map(input.steps.map((state) => [state.name, state]))
    for (const step of input.graph.steps) {
      this.#steps.set(step.name, step)
      const { name } = step
      this.#states.set(name, known.get(name) ?? { name, phase: 'Pending', units: [] })
    }
  }

  readonly stateOf = (name: string): StepState | undefined => this.#states.get(name)
  readonly stepOf = (name: string): Step | undefined => this.#steps.get(name)

  get states(): readonly StepState[] {
    return [...this.#states.values()]
  }

  statesOf(steps: readonly Step[]): readonly StepState[] {
    return steps.map(({ name }) => this.stateOf(name)).filter((state) => state !== undefined)
  }

  set(state: StepState): void {
    const before = this.#states.get(state.name)
    this.#states.set(state.name, state)
    if (before === undefined || hasEnded(before) !== hasEnded(state)) this.#scope = undefined
  }

  /** What the fields of a step can refer to: what the steps that have ended left behind. */
  scope(outcome?: PlanScope['outcome']): PlanScope {
    this.#scope ??= { steps: Object.fromEntries(this.states.filter(hasEnded).map(resultOf)) }
    return outcome === undefined ? this.#scope : { ...this.#scope, outcome }
  }
}

function resultOf({ name, phase, outputs = {} }: StepState) {
  return [name, { outputs, outcome: phase as StepPhase }] as const
}

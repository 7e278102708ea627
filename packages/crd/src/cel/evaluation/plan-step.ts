import { checkWorkLimit } from '../../work-limit.ts'
import { CostExceeded } from '../cost/cost-exceeded.ts'
import type { Value } from '../value/value.ts'

/** The state of one evaluation. */
export interface Frame {
  /** Values of variables by the slots that the planner assigned. */
  readonly slots: (Value | undefined)[]
  cost: number
  readonly limit: number
  /** The cost at which the limit and the clock are checked next. */
  nextCheck: number
  require(units: number): void
}

export type Evaluate = (frame: Frame) => Value

/** A planned step before it becomes a function: constants can be folded, selections can be added to attributes. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  | AttributePlan
  | { readonly kind: 'step'; readonly evaluate: Evaluate }

/** Thrown at compile time if a constant part of an expression cannot be evaluated. */
export class PlanFailure extends Error {
  override name = 'PlanFailure'
}

/** The slots of the variables in scope. */
export interface Scope {
  readonly name: string
  readonly slot: number
  /** Evaluates the initial value of an accumulator on first access. */
  readonly init?: Evaluate
  readonly outer: Scope | undefined
}

export function charge(frame: Frame, units: number): void {
  frame.cost += units
  if (frame.cost > frame.nextCheck) checkFrame(frame)
}

/** Cost units between two checks of the clock; they take well under a millisecond. */
export const unitsPerCheck = 1_000

function checkFrame(frame: Frame): void {
  if (frame.cost > frame.limit) throw new CostExceeded()
  checkWorkLimit()
  frame.nextCheck = Math.min(frame.limit, frame.cost + unitsPerCheck)
}

/**
 * A variable or the value of another step with selections: `self.a[0].?b`. They are resolved together because an
 * optional selection makes all following ones optional, and because each costs one unit.
 */
export interface AttributePlan {
  readonly kind: 'attribute'
  readonly root: Root
  readonly qualifiers: Qualifier[]
  /** Whether this is `has(…)`, which tests if the last selection exists. */
  test: boolean
}

export type Root =
  | { readonly kind: 'variable'; readonly scope: Scope }
  | { readonly kind: 'value'; readonly evaluate: Evaluate }
  | {
      readonly kind: 'choice'
      readonly condition: Evaluate
      readonly yes: Branch
      readonly no: Branch
    }

/** A branch of a conditional. Selections on the conditional are added to branches that are attributes. */
export type Branch = AttributePlan | { readonly kind: 'value'; readonly evaluate: Evaluate }

export type Qualifier =
  | { readonly kind: 'constant'; readonly key: Value; readonly optional: boolean }
  | { readonly kind: 'dynamic'; readonly index: Plan; readonly optional: boolean }

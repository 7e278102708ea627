import { CostExceeded } from './cost.ts'
import type { Value } from './value.ts'

/** The state of one evaluation. */
export interface Frame {
  /** Values of variables, at the places the planner gave them. */
  readonly slots: (Value | undefined)[]
  cost: number
  readonly limit: number
  require(units: number): void
}

export type Evaluate = (frame: Frame) => Value

/** A step before it becomes a function: constants can be folded, attributes can grow further selections. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  | AttributePlan
  | { readonly kind: 'step'; readonly evaluate: Evaluate }

/** Thrown at compile time where a constant part of an expression cannot be evaluated. */
export class PlanFailure extends Error {
  override name = 'PlanFailure'
}

/** Where the planner put the variables that are in scope. */
export interface Scope {
  readonly name: string
  readonly slot: number
  /** Evaluates the first value of an accumulator when it is first read. */
  readonly init?: Evaluate
  readonly outer: Scope | undefined
}

export function charge(frame: Frame, units: number): void {
  frame.cost += units
  if (frame.cost > frame.limit) throw new CostExceeded()
}

/**
 * A variable, or the value of any other step, followed by selections: `self.a[0].?b`. They are resolved together because
 * one optional selection makes all that follow optional, and because each costs one unit.
 */
export interface AttributePlan {
  readonly kind: 'attribute'
  readonly root: Root
  readonly qualifiers: Qualifier[]
  /** `has(…)`: whether the last selection finds anything. */
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

/** A branch of `?:` that is an attribute takes over the selections made on the whole. */
export type Branch = AttributePlan | { readonly kind: 'value'; readonly evaluate: Evaluate }

export type Qualifier =
  | { readonly kind: 'constant'; readonly key: Value; readonly optional: boolean }
  | { readonly kind: 'dynamic'; readonly index: Plan; readonly optional: boolean }

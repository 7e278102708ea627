import type { Type } from '../type/type.ts'
import type { Value } from '../value/value.ts'
import type { Estimate } from './call-estimate.ts'

/**
 * One signature of a function, with its implementation and its cost. The receiver of a method is its first parameter.
 */
export interface Overload {
  readonly id: string
  readonly method: boolean
  readonly params: readonly Type[]
  readonly result: Type
  /** Called with evaluated arguments, none of which is an error. */
  readonly apply: Apply
  /** The cost of one call. If omitted, 1. */
  readonly cost?: Cost
  /** Estimates the cost before evaluation, from the bounds of the arguments. */
  readonly estimate?: Estimate
}

export type Apply = (args: readonly Value[], budget: Budget) => Value

export type Cost = (args: readonly Value[], result: Value) => number

/** The remaining cost of an evaluation. Functions check it before they build large results. */
export interface Budget {
  /** Throws if fewer than `units` remain. */
  require(units: number): void
}

/** The overloads of a library by function name; a name may be declared by several libraries. */
export type Library = readonly (readonly [name: string, overloads: readonly Overload[]])[]

interface Extras {
  readonly cost?: Cost
  readonly estimate?: Estimate
}

/** Declares a function `name(params)`. */
export function fn(
  id: string,
  params: readonly Type[],
  result: Type,
  apply: Apply,
  extras: Extras = {},
): Overload {
  return { id, method: false, params, result, apply, ...extras }
}

/** Declares a method `params[0].name(params[1…])`. */
export function method(
  id: string,
  params: readonly Type[],
  result: Type,
  apply: Apply,
  extras: Extras = {},
): Overload {
  return { id, method: true, params, result, apply, ...extras }
}

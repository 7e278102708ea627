import type { Estimate } from './estimate-call.ts'
import type { Type } from './type.ts'
import type { Value } from './value.ts'

/** One signature of a function, with what it does and what it costs. The receiver of a method is its first parameter. */
export interface Overload {
  readonly id: string
  readonly method: boolean
  readonly params: readonly Type[]
  readonly result: Type
  /** Gets the arguments evaluated, none of them an error. */
  readonly apply: Apply
  /** Cost units of one call; 1 where it is not given. */
  readonly cost?: Cost
  /** The same before evaluation, from the bounds of the arguments. */
  readonly estimate?: Estimate
}

export type Apply = (args: readonly Value[], budget: Budget) => Value

export type Cost = (args: readonly Value[], result: Value) => number

/** What is left of the cost limit of this evaluation, so that nothing is built that could not be paid for. */
export interface Budget {
  /** Throws if so many more units are not there. */
  require(units: number): void
}

/** The overloads of a library by function name; a name may be declared by several libraries. */
export type Library = readonly (readonly [name: string, overloads: readonly Overload[]])[]

interface Extras {
  readonly cost?: Cost
  readonly estimate?: Estimate
}

/** `name(params)`. */
export function fn(
  id: string,
  params: readonly Type[],
  result: Type,
  apply: Apply,
  extras: Extras = {},
): Overload {
  return { id, method: false, params, result, apply, ...extras }
}

/** `params[0].name(params[1…])`. */
export function method(
  id: string,
  params: readonly Type[],
  result: Type,
  apply: Apply,
  extras: Extras = {},
): Overload {
  return { id, method: true, params, result, apply, ...extras }
}

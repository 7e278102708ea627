import type { Expr } from './ast.ts'
import { addRanges, fixed, multiplyRanges, type Range, scaleRange } from './range.ts'
import type { Type } from './type.ts'

/** What is known before evaluation about an argument of a call. */
export interface EstimateNode {
  readonly expr: Expr | undefined
  readonly type: Type
  /** Where in the schema it comes from: `self`, field names, `@items`, `@keys`, `@values`. */
  readonly path: readonly string[] | undefined
  readonly size: Range | undefined
}

export interface EstimateCall {
  readonly target: EstimateNode | undefined
  readonly args: readonly EstimateNode[]
  /** Unbounded where nothing is known. */
  sizeOf(node: EstimateNode): Range
  /** The element of a list, with its own path, so that its bounds can be looked up. */
  elementOf(node: EstimateNode): EstimateNode | undefined
}

export interface CallEstimate {
  /** Without the cost of the arguments. */
  readonly cost: Range
  /** The size of the result, where it is a string, bytes, list or map. */
  readonly size?: Range
}

export type Estimate = (call: EstimateCall) => CallEstimate | undefined

export const STRING_FACTOR = 0.1
export const REGEX_FACTOR = 0.25
export const LIST_CREATE_COST = 10
export const MAP_CREATE_COST = 30

export const estimateOne: Estimate = () => ({ cost: fixed(1) })

/** A function that walks its first argument once. */
export const estimateScanArgument: Estimate = ({ args, sizeOf }) => {
  const [argument] = args
  return argument && { cost: scaleRange(sizeOf(argument), STRING_FACTOR) }
}

/** Twice over the first argument. */
export const estimateScanArgumentTwice: Estimate = ({ args, sizeOf }) => {
  const [argument] = args
  return argument && { cost: scaleRange(sizeOf(argument), 2 * STRING_FACTOR) }
}

/** A method that walks its receiver and returns something no longer. */
export const estimateScanTarget: Estimate = ({ target, sizeOf }) => {
  if (target === undefined) return undefined
  const size = sizeOf(target)
  return { cost: scaleRange(size, STRING_FACTOR), size }
}

/** Matching a pattern: length of the text times length of the pattern. */
export function estimateRegex(text: Range, pattern: Range): Range {
  const scan = scaleRange(addRanges(text, fixed(1)), STRING_FACTOR)
  return multiplyRanges(scan, scaleRange(pattern, REGEX_FACTOR))
}

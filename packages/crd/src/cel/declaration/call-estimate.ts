import { addRanges, fixed, multiplyRanges, type Range, scaleRange } from '../cost/range.ts'
import type { Expr } from '../syntax/ast.ts'
import type { Type } from '../type/type.ts'

/** An argument of a call as far as it is known before evaluation. */
export interface EstimateNode {
  readonly expr: Expr | undefined
  readonly type: Type
  /** Its path in the schema: `self`, field names, `@items`, `@keys`, `@values`. */
  readonly path: readonly string[] | undefined
  readonly size: Range | undefined
}

export interface EstimateCall {
  readonly target: EstimateNode | undefined
  readonly args: readonly EstimateNode[]
  /** The bounds of an argument's size; unbounded if nothing is known. */
  sizeOf(node: EstimateNode): Range
  /** The element of a list, with its own path, so that its bounds can be looked up. */
  elementOf(node: EstimateNode): EstimateNode | undefined
}

export interface CallEstimate {
  /** The cost of the call without that of its arguments. */
  readonly cost: Range
  /** The size of the result, where it is a string, bytes, list or map. */
  readonly size?: Range
}

export type Estimate = (call: EstimateCall) => CallEstimate | undefined

export const stringFactor = 0.1
export const regexFactor = 0.25
export const listCreateCost = 10
export const mapCreateCost = 30
export const structCreateCost = 40

export function estimateOne(): CallEstimate {
  return { cost: fixed(1) }
}

/** Estimates a function that walks its first argument once. */
export function estimateScanArgument({ args, sizeOf }: EstimateCall): CallEstimate | undefined {
  const [argument] = args
  return argument && { cost: scaleRange(sizeOf(argument), stringFactor) }
}

/** Estimates a function that walks its first argument twice. */
export function estimateScanArgumentTwice({
  args,
  sizeOf,
}: EstimateCall): CallEstimate | undefined {
  const [argument] = args
  return argument && { cost: scaleRange(sizeOf(argument), 2 * stringFactor) }
}

/** Estimates a method that walks its receiver and returns a value that is not longer. */
export function estimateScanTarget({ target, sizeOf }: EstimateCall): CallEstimate | undefined {
  if (target === undefined) return undefined
  const size = sizeOf(target)
  return { cost: scaleRange(size, stringFactor), size }
}

/** Estimates matching a pattern: length of the text times length of the pattern. */
export function estimateRegex(text: Range, pattern: Range): Range {
  const scan = scaleRange(addRanges(text, fixed(1)), stringFactor)
  return multiplyRanges(scan, scaleRange(pattern, regexFactor))
}

import { addRanges, multiplyRanges, type Range, saturated, scaleRange } from '../../cost/range.ts'
import {
  type CallEstimate,
  type EstimateCall,
  stringFactor,
} from '../../declaration/call-estimate.ts'

/**
 * Estimates replace(). The longest result has the shortest texts replaced by the longest ones, as often as they fit.
 */
export function estimateReplace({ target, args, sizeOf }: EstimateCall): CallEstimate | undefined {
  const [from, to] = args
  if (target === undefined || from === undefined || to === undefined) return undefined
  const size = sizeOf(target)
  const replaced = sizeOf(from)
  const replacement = sizeOf(to)
  const longest = longestResult(size.max, replaced.min, replacement.max)
  const shortest = shortestResult(size.min, replaced.max, replacement.min)
  const result: Range = addRanges(
    multiplyRanges({ min: shortest.count, max: longest.count }, replacement),
    { min: shortest.kept, max: longest.kept },
  )
  return { cost: scaleRange(size, 2 * stringFactor), size: result }
}

function longestResult(size: number, replaced: number, replacement: number) {
  if (replaced === 0) return { count: Math.min(size + 1, saturated), kept: size }
  if (replacement <= replaced) return { count: 0, kept: size }
  return { count: Math.ceil(size / replaced), kept: 0 }
}

function shortestResult(size: number, replaced: number, replacement: number) {
  if (replaced === 0) return { count: Math.min(size + 1, saturated), kept: size }
  if (replaced <= replacement) return { count: 0, kept: size }
  return { count: Math.ceil(size / replaced), kept: 0 }
}

/** Estimates split(). In the worst case every character becomes an element. */
export function estimateSplit({
  target,
  args: [, limit],
  sizeOf,
}: EstimateCall): CallEstimate | undefined {
  if (target === undefined) return undefined
  const size = sizeOf(target)
  const literal = limit?.expr?.kind === 'literal' ? limit.expr.value : undefined
  let max = size.max
  if (literal?.type === 'int') max = literal.value < 0n ? saturated : Number(literal.value)
  return { cost: scaleRange(size, 2 * stringFactor), size: { min: 0, max } }
}

/** Estimates join(): all elements, with a separator between each two. */
export function estimateJoin({
  target,
  args: [separator],
  sizeOf,
  elementOf,
}: EstimateCall): CallEstimate | undefined {
  if (target === undefined) return undefined
  const count = sizeOf(target)
  const element = elementOf(target)
  let size: Range = { min: 0, max: 0 }
  if (element !== undefined) size = multiplyRanges(count, sizeOf(element))
  if (separator !== undefined) {
    const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
    size = addRanges(size, multiplyRanges(sizeOf(separator), separators))
  }
  return { cost: scaleRange(size, stringFactor), size }
}

import {
  addRanges,
  fixed,
  multiplyRanges,
  type Range,
  saturated,
  scaleRange,
  uniteRanges,
} from '../cost/range.ts'
import {
  type CallEstimate,
  type EstimateCall,
  estimateRegex,
  stringFactor,
} from '../declaration/call-estimate.ts'

/**
 * Estimates the standard calls by overload, including the cost of their arguments. Sizes are derived from the
 * arguments.
 */
export function estimateStandardCall(
  overload: string,
  call: EstimateCall,
  argCosts: readonly Range[],
): CallEstimate {
  const args = argCosts.reduce(addRanges, fixed(0))
  const [first, second, third] = call.args
  const size = (index: number): Range => call.args[index]?.size ?? unknownRange
  const targetSize = call.target?.size ?? unknownRange
  switch (overload) {
    case 'logical_and':
    case 'logical_or':
      return { cost: { min: argCosts[0]?.min ?? 0, max: args.max } }
    case 'conditional':
      if (first === undefined || second === undefined || third === undefined) break
      return {
        cost: addRanges(
          argCosts[0] ?? fixed(0),
          uniteRanges(argCosts[1] ?? fixed(0), argCosts[2] ?? fixed(0)),
        ),
        size: uniteRanges(size(1), size(2)),
      }
    case 'string_format':
      return { cost: addRanges(scaleRange(targetSize, stringFactor), args) }
    case 'string_to_bytes':
      return scanned(size(0), args, { min: size(0).min, max: size(0).max * 4 })
    case 'bytes_to_string':
      return scanned(size(0), args, { min: Math.floor(size(0).min / 4), max: size(0).max })
    case 'strings_quote':
      return scanned(size(0), args, { min: size(0).min + 2, max: size(0).max * 2 + 2 })
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: addRanges(scaleRange(size(0), stringFactor), args) }
    case 'in_list':
      return { cost: addRanges(size(1), args) }
    case 'matches_string':
      return { cost: addRanges(estimateRegex(targetSize, size(0)), args) }
    case 'contains_string': {
      const scan = scaleRange(targetSize, stringFactor)
      return { cost: addRanges(multiplyRanges(scan, scaleRange(size(0), stringFactor)), args) }
    }
    case 'add_list':
      return { cost: addRanges(fixed(1), args), size: addRanges(size(0), size(1)) }
    case 'add_string':
    case 'add_bytes': {
      const total = addRanges(size(0), size(1))
      return { cost: addRanges(scaleRange(total, stringFactor), args), size: total }
    }
    default:
      if (!comparisonFunctions.has(overload)) break
      if (overload === 'equals' && constantSize.has(first?.type.name ?? '')) break
      return { cost: addRanges(comparison(size(0), size(1)), args) }
  }
  return { cost: addRanges(fixed(1), args) }
}

const unknownRange: Range = { min: 0, max: saturated }

const comparisonFunctions = new Set([
  'equals',
  'not_equals',
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [
    `${name}_string`,
    `${name}_bytes`,
  ]),
])

/** Types of the libraries that are compared in one step. */
const constantSize = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])

function scanned(size: Range, args: Range, result: Range): CallEstimate {
  return { cost: addRanges(scaleRange(size, stringFactor), args), size: result }
}

function comparison(left: Range, right: Range): Range {
  const max = Math.min(left.max, right.max)
  return scaleRange({ min: max > 0 ? 1 : 0, max }, stringFactor)
}

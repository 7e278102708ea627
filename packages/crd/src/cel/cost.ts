import { listItem, listItems, mapFind, mapKeys, mapSize } from './container.ts'
import type { Cost } from './declaration.ts'
import { REGEX_FACTOR, STRING_FACTOR } from './estimate-call.ts'
import { isBoxed, isList, isMap, type Value } from './value.ts'

/** Thrown when an evaluation has used up its cost limit: no operator absorbs it. */
export class CostExceeded extends Error {
  override name = 'CostExceeded'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** What size() says where it is defined; 1 for scalars. */
export function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return codePointLength(value)
  if (value instanceof Uint8Array) return value.length
  if (value === undefined || !isBoxed(value)) return 1
  switch (value.kind) {
    case 'list':
      return value.items.length
    case 'map':
    case 'object':
      return mapSize(value)
    case 'optional':
      return sizeOf(value.value)
    case 'opaque':
      return value.type.size?.(value.content) ?? 1
    default:
      return 1
  }
}

export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      length--
      index++
    }
  }
  return length
}

export function scanCost(size: number, times = 1): number {
  return Math.ceil(size * times * STRING_FACTOR)
}

export const costOne: Cost = () => 1
export const costScan: Cost = ([value]) => scanCost(sizeOf(value))
export const costScanTwice: Cost = ([value]) => scanCost(sizeOf(value), 2)
export const costScanResultTwice: Cost = (_args, result) => scanCost(sizeOf(result), 2)
export const costScanBoth: Cost = ([left, right]) => scanCost(sizeOf(left) + sizeOf(right))
export const costCompare: Cost = ([left, right]) => scanCost(Math.min(sizeOf(left), sizeOf(right)))

export const costRegex: Cost = ([text, pattern]) => regexCost(sizeOf(text), sizeOf(pattern))

export function regexCost(textSize: number, patternSize: number): number {
  return scanCost(1 + textSize) * Math.ceil(patternSize * REGEX_FACTOR)
}

/** The cost of walking a whole value, however deep. */
export const costTraversal: Cost = ([value]) => (value === undefined ? 0 : traversalCost(value))

function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * STRING_FACTOR)
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR)
  if (isList(value))
    return listItems(value).reduce<number>((sum, item) => sum + traversalCost(item), 0)
  if (!isMap(value)) return 1
  let sum = 0
  for (const key of mapKeys(value)) {
    sum += traversalCost(key) + traversalCost(mapFind(value, key) ?? null)
  }
  return sum
}

/** Comparing every element with every other and building a new list. */
export const costSelfComparison: Cost = ([list]) => selfComparisonCost(list)
export const costKeyComparison: Cost = ([, keys]) => selfComparisonCost(keys)

function selfComparisonCost(list: Value | undefined): number {
  const size = sizeOf(list)
  const first = list !== undefined && isList(list) && size > 0 ? listItem(list, 0) : undefined
  const text = typeof first === 'string' || first instanceof Uint8Array
  return allocationCost(size * size, text ? 2 + STRING_FACTOR : 2)
}

/** One call that makes a list of so many elements. */
export function allocationCost(size: number, factor: number): number {
  return Math.floor(size * factor) + 1 + 10
}

function utf8Length(text: string): number {
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
  }
  return length
}

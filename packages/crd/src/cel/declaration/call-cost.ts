import { work } from '../cost/work-meter.ts'
import { listItem, listItems, mapFind, mapKeys, mapSize } from '../value/container.ts'
import { isBoxed, isList, isMap, type Value } from '../value/value.ts'
import { regexFactor, stringFactor } from './call-estimate.ts'

/** The result of size() where it is defined; 1 for scalars. */
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

/**
 * The length of a text in code points. That of the last long text is cached, because a loop often needs the same one.
 */
export function codePointLength(text: string): number {
  if (text.length < rememberedLength) return countCodePoints(text)
  if (text !== lastText) {
    work(text.length >> 4)
    lastLength = countCodePoints(text)
    lastText = text
  }
  return lastLength
}

const rememberedLength = 1024
let lastText = ''
let lastLength = 0

function countCodePoints(text: string): number {
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
  return Math.ceil(size * times * stringFactor)
}

type Arguments = readonly Value[]

export function costOne(): number {
  return 1
}

export function costScan([value]: Arguments): number {
  return scanCost(sizeOf(value))
}

export function costScanTwice([value]: Arguments): number {
  return scanCost(sizeOf(value), 2)
}

export function costScanResultTwice(_args: Arguments, result: Value): number {
  return scanCost(sizeOf(result), 2)
}

export function costScanBoth([left, right]: Arguments): number {
  return scanCost(sizeOf(left) + sizeOf(right))
}

export function costCompare([left, right]: Arguments): number {
  return scanCost(Math.min(sizeOf(left), sizeOf(right)))
}

export function costRegex([text, pattern]: Arguments): number {
  return regexCost(sizeOf(text), sizeOf(pattern))
}

export function regexCost(textSize: number, patternSize: number): number {
  return scanCost(1 + textSize) * Math.ceil(patternSize * regexFactor)
}

/** The cost of walking a whole value, however deep. */
export function costTraversal([value]: Arguments): number {
  return value === undefined ? 0 : traversalCost(value)
}

function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * stringFactor)
  if (value instanceof Uint8Array) return Math.floor(value.length * stringFactor)
  if (isList(value))
    return listItems(value).reduce<number>((sum, item) => sum + traversalCost(item), 0)
  if (!isMap(value)) return 1
  let sum = 0
  for (const key of mapKeys(value)) {
    sum += traversalCost(key) + traversalCost(mapFind(value, key) ?? null)
  }
  return sum
}

/** The cost of comparing every element with every other and building a new list. */
export function costSelfComparison([list]: Arguments): number {
  return selfComparisonCost(list)
}

/** The same for a function that sorts by the keys in its second argument. */
export function costKeyComparison([, keys]: Arguments): number {
  return selfComparisonCost(keys)
}

function selfComparisonCost(list: Value | undefined): number {
  const size = sizeOf(list)
  const first = list !== undefined && isList(list) && size > 0 ? listItem(list, 0) : undefined
  const text = typeof first === 'string' || first instanceof Uint8Array
  return allocationCost(size * size, text ? 2 + stringFactor : 2)
}

/** The cost of one call that creates a list of `size` elements. */
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

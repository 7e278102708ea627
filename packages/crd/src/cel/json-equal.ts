import type { Json } from '../schema.ts'

/** Deep equality of JSON. The order of keys does not matter; an integer is the same as number and as bigint. */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true
  if (left === null || right === null) return false
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => jsonEqual(item, right[index] ?? null))
    )
  }
  if (typeof left === 'object') {
    if (typeof right !== 'object' || Array.isArray(right)) return false
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every(
        (key) => Object.hasOwn(right, key) && jsonEqual(left[key] ?? null, right[key] ?? null),
      )
    )
  }
  const numbers = isNumber(left) && isNumber(right)
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value only with ==
  return numbers && left == right
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

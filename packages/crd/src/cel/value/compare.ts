import { CelError, isBoxed, isUint, noSuchOverload, type Value } from './value.ts'

/**
 * Compares two values: negative, zero or positive if left is less than, equal to or greater than right. An error if
 * they have no order.
 */
export function compare(left: Value, right: Value): number | CelError {
  const leftNumber = numberOf(left)
  if (leftNumber !== undefined) {
    const rightNumber = numberOf(right)
    return rightNumber === undefined ? noSuchOverload : compareNumbers(leftNumber, rightNumber)
  }
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right)
  if (!isBoxed(left) || !isBoxed(right)) return noSuchOverload
  if (left.kind === 'timestamp' || left.kind === 'duration') {
    if (right.kind !== left.kind) return noSuchOverload
    return left.nanos < right.nanos ? -1 : Number(left.nanos > right.nanos)
  }
  return noSuchOverload
}

/** Whether values of this kind are ordered. */
export function isComparable(value: Value): boolean {
  return compare(value, value) !== noSuchOverload
}

function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return isUint(value) ? value.value : undefined
}

function compareNumbers(left: number | bigint, right: number | bigint): number | CelError {
  if (Number.isNaN(left) || Number.isNaN(right)) return new CelError('NaN values cannot be ordered')
  return left < right ? -1 : Number(left > right)
}

/** Compares by code points, that is by UTF-8 bytes. JavaScript's `<` would compare surrogates. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return surrogateLast(a) - surrogateLast(b)
  }
  return left.length - right.length
}

function surrogateLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

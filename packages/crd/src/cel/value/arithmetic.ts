import { listItem, listItems, listOf } from './container.ts'
import { indexScalars, listMapKey } from './equality.ts'
import { addToTimestamp, checkDuration, subtractTimestamps } from './time.ts'
import {
  CelError,
  isDuration,
  isList,
  isTimestamp,
  isUint,
  type List,
  noSuchOverload,
  uint,
  type Value,
} from './value.ts'

export function add(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkInt(left + right)
  if (typeof left === 'string' && typeof right === 'string') return left + right
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (isList(left) && isList(right)) return concatenate(left, right)
  if (isUint(left) && isUint(right)) return checkUint(left.value + right.value)
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return Uint8Array.from([...left, ...right])
  }
  if (isDuration(left) && isDuration(right)) return checkDuration(left.nanos + right.nanos)
  if (isTimestamp(left) && isDuration(right)) return addToTimestamp(left, right.nanos)
  if (isDuration(left) && isTimestamp(right)) return addToTimestamp(right, left.nanos)
  return noSuchOverload
}

export function subtract(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkInt(left - right)
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (isUint(left) && isUint(right)) return checkUint(left.value - right.value)
  if (isDuration(left) && isDuration(right)) return checkDuration(left.nanos - right.nanos)
  if (isTimestamp(left) && isDuration(right)) return addToTimestamp(left, -right.nanos)
  if (isTimestamp(left) && isTimestamp(right)) return subtractTimestamps(left, right)
  return noSuchOverload
}

export function multiply(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkInt(left * right)
  if (typeof left === 'number' && typeof right === 'number') return left * right
  if (isUint(left) && isUint(right)) return checkUint(left.value * right.value)
  return noSuchOverload
}

export function divide(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left / right
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    return right === 0n ? new CelError('division by zero') : checkInt(left / right)
  }
  if (isUint(left) && isUint(right)) {
    return right.value === 0n ? new CelError('division by zero') : uint(left.value / right.value)
  }
  return noSuchOverload
}

export function modulo(left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) return new CelError('modulus by zero')
    return left === minInt64 && right === -1n ? integerOverflow : left % right
  }
  if (isUint(left) && isUint(right)) {
    return right.value === 0n ? new CelError('modulus by zero') : uint(left.value % right.value)
  }
  return noSuchOverload
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return checkInt(-value)
  if (typeof value === 'number') return -value
  return isDuration(value) ? checkDuration(-value.nanos) : noSuchOverload
}

export function checkInt(value: bigint): bigint | CelError {
  return value >= minInt64 && value <= maxInt64 ? value : integerOverflow
}

export function checkUint(value: bigint): Value {
  return value >= 0n && value <= maxUint64 ? uint(value) : unsignedOverflow
}

const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const maxUint64 = 2n ** 64n - 1n
const integerOverflow = new CelError('integer overflow')
const unsignedOverflow = new CelError('unsigned integer overflow')

/**
 * Concatenates two lists. Lists with a list type are merged: a set keeps its elements, in a list of type map the right
 * side replaces elements by key.
 */
function concatenate(left: List, right: List): Value {
  if (left.growing) {
    for (let index = 0; index < right.items.length; index++) {
      left.items.push(listItem(right, index))
    }
    return left
  }
  const { schema } = left
  const items = listItems(left)
  if (schema === undefined || schema.type === 'atomic') {
    return { ...listOf(items.concat(listItems(right))), schema }
  }
  if (schema.type === 'set') {
    const present = indexScalars(items)
    const added = listItems(right).filter((item) => !present.has(item))
    return { ...listOf(items.concat(added)), schema }
  }
  const indexes = new Map(items.map((item, index) => [listMapKey(item, schema.keys), index]))
  for (const item of listItems(right)) {
    const at = indexes.get(listMapKey(item, schema.keys))
    if (at === undefined) items.push(item)
    else items[at] = item
  }
  return { ...listOf(items), schema }
}

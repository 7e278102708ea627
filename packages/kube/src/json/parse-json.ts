import { mayHaveMisreadKeys, parseEscapedKeys } from './escaped-keys.ts'

// A number of sixteen digits may exceed 2^53. Such digits inside a string only cause the slower parse.
const largeInteger = /[:[,]\s*-?\d{16}/
const smallestInt64 = -(2n ** 63n)
const largestInt64 = 2n ** 63n - 1n
const longestInt64 = String(smallestInt64).length

/**
 * Parses JSON without losing int64, so that an object which is read, changed and written back keeps numbers that
 * JavaScript cannot hold: integers beyond ±(2^53 − 1) become bigint. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  const value = parseNumbers(text)
  return mayHaveMisreadKeys(text, value) ? parseEscapedKeys(text, parseNumbers) : value
}

function parseNumbers(text: string): unknown {
  if (text.length > 15 && (largeInteger.test(text) || /^\s*-?\d/.test(text))) {
    return parseWithSource(text, keepLargeIntegers)
  }
  return JSON.parse(text)
}

// TypeScript's library does not yet know the third argument of a reviver.
const parseWithSource = JSON.parse as (text: string, reviver: typeof keepLargeIntegers) => unknown

function keepLargeIntegers(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  // No int64 is longer, and converting hundreds of thousands of digits would take very long.
  if (source === undefined || source.length > longestInt64 || !/^-?\d+$/.test(source)) return value
  const integer = BigInt(source)
  return integer >= smallestInt64 && integer <= largestInt64 ? integer : value
}

import type { Json } from '@agents/crd'
import { endOfString } from './end-of-string.ts'

/** Deeper values are refused, so that code which walks them may recurse. */
const maxDepth = 1000
// Sixteen digits may exceed 2^53. Text that looks so inside a string only costs the slower parse.
const largeInteger = /\d{16}/
const smallestInt64 = -(2n ** 63n)
const largestInt64 = 2n ** 63n - 1n

/**
 * Parses JSON without losing int64: integers beyond ±(2^53 − 1) become bigint. Those that do not fit
 * int64 stay (rounded) numbers, as Kubernetes reads them as floats. Throws SyntaxError.
 */
export function parseJson(input: Uint8Array | string): Json {
  const text = typeof input === 'string' ? input : decodeText(input)
  if (isTooDeep(text)) throw new SyntaxError('exceeded max depth')
  return parseShallowJson(text)
}

/** The same for a text that is known not to be too deep. */
export function parseShallowJson(text: string): Json {
  return largeInteger.test(text) ? parseWithSource(text, keepLargeIntegers) : JSON.parse(text)
}

export function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

// TypeScript's library does not yet know the third argument of a reviver.
const parseWithSource = JSON.parse as (text: string, reviver: typeof keepLargeIntegers) => Json

function keepLargeIntegers(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (context.source === undefined || !/^-?\d+$/.test(context.source)) return value
  const integer = BigInt(context.source)
  return integer >= smallestInt64 && integer <= largestInt64 ? integer : value
}

function isTooDeep(text: string): boolean {
  // An opened and a closed bracket a level.
  if (text.length < 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth > maxDepth) return true
  }
  return false
}

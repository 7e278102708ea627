import type { Json } from './schema/schema.ts'

/** The depth up to which values are printed in messages. Printing must not exhaust the stack. */
const maxPrintedDepth = 500

/** Encodes a value as canonical JSON, as Go's encoder does. */
export function goJson(value: Json): string {
  return encode(value, maxPrintedDepth)
}

function encode(value: Json, depth: number): string {
  if (typeof value === 'string') return encodeString(value)
  if (typeof value !== 'object') return String(value)
  if (value === null) return 'null'
  if (depth === 0) return '"…"'
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, depth - 1)).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${encodeString(key)}:${encode(value[key] ?? null, depth - 1)}`)
  return `{${members.join(',')}}`
}

function encodeString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

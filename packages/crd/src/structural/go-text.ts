import type { Json } from '../schema.ts'

/**
 * Values as the API server prints them in error messages: Go's `%q` for strings, `%v` for numbers, canonical JSON
 * (sorted keys, `<`, `>` and `&` escaped) for the rest.
 */
export function formatBadValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'boolean') return String(value)
  return goJson(value)
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** Go's `%q`: printable runes stay, everything else is escaped. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const escaped = text.toWellFormed().replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu, (rune) => {
    const short = SHORT_ESCAPES[rune]
    if (short !== undefined) return short
    const code = rune.codePointAt(0) ?? 0
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
    return `\\U${code.toString(16).padStart(8, '0')}`
  })
  return `"${escaped}"`
}

/** Go's `%v` of a float64: scientific below 1e-4 and from 1e6 on, exponents of two digits at least. */
export function goFloat(value: number): string {
  if (value === 0) return '0'
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  const sign = power < 0 ? '-' : '+'
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`
}

/** Deeper values are cut off in messages: nobody reads them, and printing must not exhaust the stack. */
const PRINTED_DEPTH = 500

/** Canonical JSON as Go's encoder writes it. */
export function goJson(value: Json): string {
  return encode(value, PRINTED_DEPTH)
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

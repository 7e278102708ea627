import type { Json } from '@agents/crd'
import { isObject } from '../json/json-value.ts'

/**
 * Encodes JSON byte for byte like Go's encoder: sorted keys, no spaces, and `<`, `>`, `&` and line separators escaped.
 * Field sets and the last-applied annotation hold such text, and clients compare it.
 */
export function goJson(value: Json): string {
  if (typeof value === 'string') return goString(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort(byText)
  const members = keys.map((key) => `${goString(key)}:${goJson(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}

/** Quotes a string like Go's %q. */
export function goQuoted(text: string): string {
  return `"${text.replace(toQuote, (char) => quotedEscapes[char] ?? `\\x${hex(char, 2)}`)}"`
}

/** Compares strings like Go, except for characters outside of the basic plane. */
export function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const toEscape = /[\u0000-\u001f"\\<>&\u2028\u2029]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const toQuote = /[\u0000-\u001f\u007f"\\]/g

const jsonEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}
const quotedEscapes: Readonly<Record<string, string>> = {
  ...jsonEscapes,
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
}

function goString(text: string): string {
  if (text.search(toEscape) < 0) return `"${text}"`
  return `"${text.replace(toEscape, (char) => jsonEscapes[char] ?? `\\u${hex(char, 4)}`)}"`
}

function hex(char: string, digits: number): string {
  return char.charCodeAt(0).toString(16).padStart(digits, '0')
}

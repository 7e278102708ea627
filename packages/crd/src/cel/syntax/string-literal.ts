import { appendAll } from '../../append-all.ts'

/** The text of a string literal, given with quotes and prefixes; undefined if an escape is not a code point. */
export function unquoteString(text: string): string | undefined {
  const literal = strip(text)
  if (literal.raw) return literal.body
  let result = ''
  for (const part of decodeEscapes(literal.body)) {
    if (typeof part === 'string') {
      result += part
      continue
    }
    const surrogate = part >= 0xd800 && part <= 0xdfff
    if (part > 0x10ffff || surrogate) return undefined
    result += String.fromCodePoint(part)
  }
  return result
}

/** The bytes of a `b'…'` literal: `\xff` and `\377` are single bytes, everything else is UTF-8. `\u` is not allowed. */
export function unquoteBytes(text: string): Uint8Array | undefined {
  const literal = strip(text.slice(1))
  const encoder = new TextEncoder()
  if (literal.raw) return encoder.encode(literal.body)
  if (/\\[uU]/.test(literal.body.replaceAll('\\\\', ''))) return undefined
  const bytes: number[] = []
  for (const part of decodeEscapes(literal.body)) {
    if (typeof part === 'string') appendAll(bytes, encoder.encode(part))
    else bytes.push(part & 0xff)
  }
  return Uint8Array.from(bytes)
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

function strip(text: string): { raw: boolean; body: string } {
  const normalized = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = /^[rR]/.test(normalized)
  const quoted = raw ? normalized.slice(1) : normalized
  const quote = quoted.slice(0, 1).repeat(3)
  const triple = quoted.length >= 6 && quoted.startsWith(quote) && quoted.endsWith(quote)
  const width = triple ? 3 : 1
  return { raw, body: quoted.slice(width, -width) }
}

/** Splits a literal: plain text as strings, numeric escapes as numbers. The lexer has validated every escape. */
function* decodeEscapes(body: string): Generator<string | number> {
  let at = 0
  while (at < body.length) {
    const backslash = body.indexOf('\\', at)
    if (backslash < 0) {
      yield body.slice(at)
      return
    }
    if (backslash > at) yield body.slice(at, backslash)
    const kind = body[backslash + 1] ?? ''
    const simple = simpleEscapes[kind]
    const digits = { x: 2, X: 2, u: 4, U: 8 }[kind]
    if (simple !== undefined) {
      yield simple
      at = backslash + 2
    } else if (digits !== undefined) {
      yield Number.parseInt(body.slice(backslash + 2, backslash + 2 + digits), 16)
      at = backslash + 2 + digits
    } else {
      yield Number.parseInt(body.slice(backslash + 1, backslash + 4), 8)
      at = backslash + 4
    }
  }
}

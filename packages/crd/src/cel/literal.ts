import type { LiteralValue } from './ast.ts'
import { unquoteBytes, unquoteString } from './string-literal.ts'
import type { Token } from './token.ts'

export type ParsedLiteral = { readonly value: LiteralValue } | { readonly error: string }

/** The value of a number, string or bytes token; a minus before a number belongs to the literal. */
export function parseLiteral(token: Token, negative: boolean): ParsedLiteral {
  switch (token.kind) {
    case 'int': {
      const value = negative ? -BigInt(token.text) : BigInt(token.text)
      const fits = value >= MIN_INT64 && value <= MAX_INT64
      return fits ? { value: { type: 'int', value } } : { error: 'invalid int literal' }
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1))
      return value <= MAX_UINT64
        ? { value: { type: 'uint', value } }
        : { error: 'invalid uint literal' }
    }
    case 'double': {
      const value = negative ? -Number(token.text) : Number(token.text)
      return Number.isFinite(value)
        ? { value: { type: 'double', value } }
        : { error: 'invalid double literal' }
    }
    case 'bytes': {
      const value = unquoteBytes(token.text)
      return value === undefined
        ? { error: 'unable to unescape string' }
        : { value: { type: 'bytes', value } }
    }
    default: {
      const value = unquoteString(token.text)
      return value === undefined
        ? { error: 'invalid unicode code point' }
        : { value: { type: 'string', value } }
    }
  }
}

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)
const MAX_UINT64 = 2n ** 64n - 1n

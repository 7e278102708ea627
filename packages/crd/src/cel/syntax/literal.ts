import type { LiteralValue } from './ast.ts'
import { unquoteBytes, unquoteString } from './string-literal.ts'
import type { Token } from './token.ts'

type ParsedLiteral = { readonly value: LiteralValue } | { readonly error: string }

/** The value of a number, string or bytes token. A minus before a number is part of the literal. */
export function parseLiteral(token: Token, negative: boolean): ParsedLiteral {
  switch (token.kind) {
    case 'int': {
      const value = negative ? -BigInt(token.text) : BigInt(token.text)
      const fits = value >= minInt64 && value <= maxInt64
      return fits ? { value: { type: 'int', value } } : { error: 'invalid int literal' }
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1))
      return value <= maxUint64
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

const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const maxUint64 = 2n ** 64n - 1n

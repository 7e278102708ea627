import type { Expr } from './ast.ts'
import type { Token } from './token.ts'

/** The state of the parser: the tokens and the current position. */
export interface Parser {
  readonly tokens: readonly Token[]
  at: number
  depth: number
  readonly extents: Map<Expr, Extent>
}

/** The size of a node, which bounds every later walk over it. */
interface Extent {
  /** The depth of nested operators, selections and calls. */
  readonly height: number
  /** The number of nodes after expansion of macros, some of which repeat their target. */
  readonly weight: number
}

/** Thrown to end parsing at the first syntax error. */
export class SyntaxFailure extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** The tokens that an expression can start with, as listed in messages. */
export const expressionStarts =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"

export function peek(parser: Parser): Token {
  // The last token is `end` and is never consumed.
  return parser.tokens[parser.at] ?? endToken
}

const endToken: Token = { kind: 'end', text: '<EOF>', offset: 0 }

export function isOperator(token: Token, operators: ReadonlySet<string>): boolean {
  return token.kind === 'punctuation' && operators.has(token.text)
}

export function accept(parser: Parser, text: string): boolean {
  const token = peek(parser)
  if (token.kind !== 'punctuation' || token.text !== text) return false
  parser.at++
  return true
}

export function expect(parser: Parser, text: string): void {
  if (text === '<EOF>' ? peek(parser).kind === 'end' : accept(parser, text)) return
  failExpected(parser, text === '<EOF>' ? text : `'${text}'`, [text])
}

/**
 * A syntax error worded like the ANTLR parser of Kubernetes. The form depends on the token after the unexpected one.
 */
export function failExpected(parser: Parser, expected: string, wanted: readonly string[]): never {
  const token = peek(parser)
  const next = parser.tokens[parser.at + 1]
  let message: string
  if (token.kind !== 'end' && next !== undefined && wanted.includes(next.text)) {
    message = `extraneous input '${token.text}' expecting ${expected}`
  } else if (isInsertable(wanted, token)) {
    message = `missing ${expected} at '${token.text}'`
  } else message = `mismatched input '${token.text}' expecting ${expected}`
  throw new SyntaxFailure(token.offset, `Syntax error: ${message}`)
}

function isInsertable(wanted: readonly string[], token: Token): boolean {
  if (wanted.length !== 1) return false
  if (wanted[0] === ')' || wanted[0] === ']') return token.kind === 'end' || isCloser(token)
  return wanted[0] === ':' && startsExpression(token) && token.text !== '?'
}

function isCloser(token: Token): boolean {
  return token.kind === 'punctuation' && ')]},'.includes(token.text)
}

export function failPrimary(parser: Parser, starts: string): never {
  const token = peek(parser)
  const next = parser.tokens[parser.at + 1]
  const extraneous = token.kind === 'punctuation' && next !== undefined && startsExpression(next)
  const how = extraneous ? 'extraneous' : 'mismatched'
  throw new SyntaxFailure(
    token.offset,
    `Syntax error: ${how} input '${token.text}' expecting {${starts}}`,
  )
}

export function startsExpression(token: Token): boolean {
  if (token.kind === 'end' || token.kind === 'escaped-identifier') return false
  if (token.kind !== 'punctuation') return true
  return ['[', '{', '(', '.', '-', '!', 'true', 'false', 'null'].includes(token.text)
}

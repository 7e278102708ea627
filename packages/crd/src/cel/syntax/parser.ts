import type { Expr, MapEntry, MessageField } from './ast.ts'
import { addIssue, type IssueList } from './issue.ts'
import { tokenize } from './lexer.ts'
import { parseLiteral } from './literal.ts'
import { expandMacro } from './macros.ts'
import type { Token } from './token.ts'
import {
  accept,
  expect,
  expressionStarts,
  failExpected,
  failPrimary,
  isOperator,
  type Parser,
  peek,
  SyntaxFailure,
  startsExpression,
} from './token-stream.ts'

/**
 * Parses an expression and expands its macros. Undefined if there are issues. Never recurses deeper than 250 levels.
 */
export function parse(source: string, issues: IssueList): Expr | undefined {
  const characters = [...source]
  if (characters.length > maxCodePoints) {
    const detail = `size: ${characters.length}, limit ${maxCodePoints}`
    addIssue(issues, -1, `expression code point size exceeds limit: ${detail}`)
    return undefined
  }
  const parser: Parser = {
    tokens: tokenize(characters, issues),
    at: 0,
    depth: 0,
    extents: new Map(),
  }
  try {
    const expr = parseExpr(parser)
    expect(parser, '<EOF>')
    return issues.total === 0 ? expr : undefined
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error
    addIssue(issues, error.offset, error.message)
    return undefined
  }
}

const maxCodePoints = 100_000
const maxDepth = 250
const maxNodes = 1_000_000

const reservedWords = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const relationOperators = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const operatorNames: Readonly<Record<string, string>> = { in: '@in' }

function parseExpr(parser: Parser): Expr {
  parser.depth++
  if (parser.depth > maxDepth) {
    throw new SyntaxFailure(-1, `expression recursion limit exceeded: ${maxDepth}`)
  }
  const condition = parseChain(parser, '||', () =>
    parseChain(parser, '&&', () => parseRelation(parser)),
  )
  const question = peek(parser)
  let expr = condition
  if (accept(parser, '?')) {
    const yes = parseChain(parser, '||', () =>
      parseChain(parser, '&&', () => parseRelation(parser)),
    )
    expect(parser, ':')
    const no = parseExpr(parser)
    expr = call(parser, question.offset, '_?_:_', undefined, [condition, yes, no])
  }
  parser.depth--
  return expr
}

/** `a && b && c` is one node of any length, so that long chains do not nest. */
function parseChain(parser: Parser, operator: '&&' | '||', parseTerm: () => Expr): Expr {
  const first = parseTerm()
  const token = peek(parser)
  if (token.text !== operator) return first
  const args = [first]
  while (accept(parser, operator)) args.push(parseTerm())
  const name = operator === '&&' ? '_&&_' : '_||_'
  const expr: Expr = { kind: 'call', offset: token.offset, name, target: undefined, args }
  return limit(parser, expr, args, 0)
}

function parseRelation(parser: Parser): Expr {
  let left = parseSum(parser)
  for (let token = peek(parser); isOperator(token, relationOperators); token = peek(parser)) {
    parser.at++
    left = binary(parser, token, left, parseSum(parser))
  }
  return left
}

function parseSum(parser: Parser): Expr {
  let left = parseProduct(parser)
  for (let token = peek(parser); isOperator(token, additiveOperators); token = peek(parser)) {
    parser.at++
    left = binary(parser, token, left, parseProduct(parser))
  }
  return left
}

function parseProduct(parser: Parser): Expr {
  let left = parseUnary(parser)
  for (let token = peek(parser); isOperator(token, multiplicativeOperators); token = peek(parser)) {
    parser.at++
    left = binary(parser, token, left, parseUnary(parser))
  }
  return left
}

const additiveOperators = new Set(['+', '-'])
const multiplicativeOperators = new Set(['*', '/', '%'])

function parseUnary(parser: Parser): Expr {
  const first = peek(parser)
  if (first.kind !== 'punctuation' || (first.text !== '!' && first.text !== '-')) {
    return parseMember(parser)
  }
  let count = 0
  while (accept(parser, first.text)) count++
  const next = peek(parser)
  if (first.text === '-' && count === 1 && (next.kind === 'int' || next.kind === 'double')) {
    parser.at++
    return parseSuffixes(parser, literal(next, first))
  }
  const operand = parseMember(parser)
  if (count % 2 === 0) return operand
  return call(parser, first.offset, first.text === '!' ? '!_' : '-_', undefined, [operand])
}

function parseMember(parser: Parser): Expr {
  return parseSuffixes(parser, parsePrimary(parser))
}

/** Parses any number of `.field`, `.?field`, `.method(…)`, `[index]` and `[?index]`. */
function parseSuffixes(parser: Parser, primary: Expr): Expr {
  let expr = primary
  for (;;) {
    const token = peek(parser)
    if (accept(parser, '.')) expr = parseSelection(parser, token, expr)
    else if (accept(parser, '[')) {
      const optional = accept(parser, '?')
      const index = parseExpr(parser)
      expect(parser, ']')
      expr = call(parser, token.offset, optional ? '_[?_]' : '_[_]', undefined, [expr, index])
    } else return expr
  }
}

function parseSelection(parser: Parser, dot: Token, operand: Expr): Expr {
  const optional = accept(parser, '?')
  const name = peek(parser)
  if (name.kind === 'escaped-identifier') {
    throw new SyntaxFailure(name.offset, "unsupported syntax: '`'")
  }
  if (name.text === 'true' || name.text === 'false' || name.text === 'null') {
    const message = `Syntax error: mismatched input '${name.text}' expecting IDENTIFIER`
    throw new SyntaxFailure(name.offset, message)
  }
  if (name.kind !== 'identifier') {
    const input = name.kind === 'end' ? '.' : `.${name.text}`
    throw new SyntaxFailure(name.offset, `Syntax error: no viable alternative at input '${input}'`)
  }
  parser.at++
  const open = peek(parser)
  if (!optional && accept(parser, '(')) {
    const args = parseArguments(parser)
    return call(parser, open.offset, name.text, operand, args)
  }
  if (optional) {
    const field: Expr = {
      kind: 'literal',
      offset: name.offset,
      value: { type: 'string', value: name.text },
    }
    return call(parser, dot.offset, '_?._', undefined, [operand, field])
  }
  const select: Expr = {
    kind: 'select',
    offset: dot.offset,
    operand,
    field: name.text,
    test: false,
  }
  return limit(parser, select, [operand], 1)
}

function parsePrimary(parser: Parser): Expr {
  const token = peek(parser)
  switch (token.kind) {
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
      parser.at++
      return literal(token)
    case 'identifier':
      return parseIdentifier(parser, token, '')
    case 'punctuation':
      return parsePunctuated(parser, token)
    case 'escaped-identifier':
    case 'end':
      return failPrimary(parser, expressionStarts)
  }
}

function parsePunctuated(parser: Parser, token: Token): Expr {
  parser.at++
  switch (token.text) {
    case 'true':
    case 'false':
      return {
        kind: 'literal',
        offset: token.offset,
        value: { type: 'bool', value: token.text === 'true' },
      }
    case 'null':
      return { kind: 'literal', offset: token.offset, value: { type: 'null' } }
    case '(': {
      const inner = parseExpr(parser)
      expect(parser, ')')
      return inner
    }
    case '[':
      return parseList(parser, token)
    case '{':
      return parseMap(parser, token)
    case '.':
      if (peek(parser).kind === 'identifier') return parseIdentifier(parser, peek(parser), '.')
  }
  parser.at--
  return failPrimary(parser, expressionStarts)
}

function parseIdentifier(parser: Parser, token: Token, prefix: string): Expr {
  parser.at++
  const message = acceptMessage(parser, token, prefix)
  if (message !== undefined) return message
  if (reservedWords.has(token.text)) {
    throw new SyntaxFailure(token.offset, `reserved identifier: ${token.text}`)
  }
  const open = peek(parser)
  if (accept(parser, '(')) {
    return call(parser, open.offset, prefix + token.text, undefined, parseArguments(parser))
  }
  return { kind: 'ident', offset: token.offset, name: prefix + token.text }
}

/** Parses `a.b.C{field: value}`. The checker verifies that the type exists. */
function acceptMessage(parser: Parser, first: Token, prefix: string): Expr | undefined {
  let at = parser.at
  let name = prefix + first.text
  while (parser.tokens[at]?.text === '.' && parser.tokens[at + 1]?.kind === 'identifier') {
    name += `.${parser.tokens[at + 1]?.text}`
    at += 2
  }
  const brace = parser.tokens[at]
  if (brace?.kind !== 'punctuation' || brace.text !== '{') return undefined
  parser.at = at + 1
  const fields: MessageField[] = []
  while (!accept(parser, '}')) {
    const optional = accept(parser, '?')
    const field = peek(parser)
    if (field.kind === 'escaped-identifier') {
      throw new SyntaxFailure(
        parser.tokens[at + 1]?.offset ?? field.offset,
        "unsupported syntax: '`'",
      )
    }
    if (field.kind !== 'identifier') expect(parser, '}')
    parser.at++
    const colon = peek(parser)
    expect(parser, ':')
    fields.push({ offset: colon.offset, name: field.text, value: parseExpr(parser), optional })
    if (!accept(parser, ',') && peek(parser).text !== '}') failExpected(parser, "{'}', ','}", ['}'])
  }
  const parts = fields.map(({ value }) => value)
  return limit(parser, { kind: 'message', offset: brace.offset, name, fields }, parts, 0)
}

function parseArguments(parser: Parser): Expr[] {
  const args: Expr[] = []
  if (accept(parser, ')')) return args
  if (!startsExpression(peek(parser)))
    failPrimary(parser, expressionStarts.replace("'.'", "')', '.'"))
  do args.push(parseExpr(parser))
  while (accept(parser, ','))
  expect(parser, ')')
  return args
}

function parseList(parser: Parser, open: Token): Expr {
  const elements: Expr[] = []
  const optional = new Set<number>()
  while (!accept(parser, ']')) {
    if (elements.length === 0 && accept(parser, ',')) {
      expect(parser, ']')
      break
    }
    if (accept(parser, '?')) optional.add(elements.length)
    else if (elements.length === 0 && !startsExpression(peek(parser))) {
      failPrimary(
        parser,
        expressionStarts
          .replace("'['", "'[', ']'")
          .replace("'.'", "'.', ','")
          .replace("'!'", "'!', '?'"),
      )
    }
    elements.push(parseExpr(parser))
    if (!accept(parser, ',') && peek(parser).text !== ']')
      failExpected(parser, "{']', ','}", [']', ','])
  }
  return limit(parser, { kind: 'list', offset: open.offset, elements, optional }, elements, 0)
}

function parseMap(parser: Parser, open: Token): Expr {
  const entries: MapEntry[] = []
  while (!accept(parser, '}')) {
    if (entries.length === 0 && accept(parser, ',')) {
      expect(parser, '}')
      break
    }
    const optional = accept(parser, '?')
    if (!optional && entries.length === 0 && !startsExpression(peek(parser))) {
      failPrimary(
        parser,
        expressionStarts
          .replace("'{'", "'{', '}'")
          .replace("'.'", "'.', ','")
          .replace("'!'", "'!', '?'"),
      )
    }
    const key = parseExpr(parser)
    expect(parser, ':')
    entries.push({ key, value: parseExpr(parser), optional })
    if (!accept(parser, ',') && peek(parser).text !== '}')
      failExpected(parser, "{'}', ','}", ['}', ','])
  }
  const parts = entries.flatMap((entry) => [entry.key, entry.value])
  return limit(parser, { kind: 'map', offset: open.offset, entries }, parts, 0)
}

function literal(token: Token, minus?: Token): Expr {
  const offset = (minus ?? token).offset
  const parsed = parseLiteral(token, minus !== undefined)
  if ('error' in parsed) throw new SyntaxFailure(offset, parsed.error)
  return { kind: 'literal', offset, value: parsed.value }
}

function binary(parser: Parser, token: Token, left: Expr, right: Expr): Expr {
  const name = operatorNames[token.text] ?? `_${token.text}_`
  return call(parser, token.offset, name, undefined, [left, right])
}

function call(
  parser: Parser,
  offset: number,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Expr {
  const expansion = expandMacro({ kind: 'call', offset, name, target, args })
  if ('error' in expansion) throw new SyntaxFailure(expansion.offset, expansion.error)
  const repeats = name === 'optMap' || name === 'optFlatMap'
  const parts = [
    ...(target === undefined ? [] : [target]),
    ...(repeats && target ? [target] : []),
    ...args,
  ]
  return limit(parser, expansion.expr, parts, 1)
}

function limit(parser: Parser, expr: Expr, parts: readonly Expr[], rise: number): Expr {
  let height = 0
  let weight = 1
  for (const part of parts) {
    const extent = parser.extents.get(part)
    height = Math.max(height, extent?.height ?? 0)
    weight += extent?.weight ?? 1
  }
  if (height + rise > maxDepth) throw new SyntaxFailure(-1, 'max recursion depth exceeded')
  if (weight > maxNodes) throw new SyntaxFailure(-1, 'expanded expression is too large')
  parser.extents.set(expr, { height: height + rise, weight })
  return expr
}

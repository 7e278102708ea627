import { addIssue, type IssueList } from './issue.ts'
import type { Token, TokenKind } from './token.ts'

/** Splits an expression into tokens. Invalid characters are reported and skipped. The last token is always `end`. */
export function tokenize(characters: readonly string[], issues: IssueList): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < characters.length) {
    const blank = skipBlank(characters, at)
    if (blank > at) {
      at = blank
      continue
    }
    const scanned = scanToken(characters, at)
    if (scanned === undefined) {
      const end = scanGarbage(characters, at)
      const text = characters.slice(at, end).join('')
      addIssue(issues, at, `Syntax error: token recognition error at: '${text}'`)
      at = end
      continue
    }
    tokens.push({
      kind: scanned.kind,
      text: characters.slice(at, scanned.end).join(''),
      offset: at,
    })
    at = scanned.end
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: characters.length })
  return tokens
}

interface Scanned {
  readonly kind: TokenKind
  readonly end: number
}

const twoCharacterTokens = new Set(['==', '!=', '<=', '>=', '&&', '||'])
const oneCharacterTokens = new Set('<>[]{}().,-!?:+*/%')
const keywords = new Set(['in', 'true', 'false', 'null'])

function skipBlank(characters: readonly string[], start: number): number {
  let at = start
  while (at < characters.length) {
    const character = characters[at] ?? ''
    if (' \t\r\n\f'.includes(character)) at++
    else if (character === '/' && characters[at + 1] === '/') {
      while (at < characters.length && characters[at] !== '\n') at++
    } else break
  }
  return at
}

function scanToken(characters: readonly string[], start: number): Scanned | undefined {
  const first = characters[start] ?? ''
  const text = scanQuoted(characters, start)
  if (text !== undefined) return text
  if (isLetter(first)) {
    let end = start + 1
    while (isLetter(characters[end]) || isDigit(characters[end])) end++
    const word = characters.slice(start, end).join('')
    return { kind: keywords.has(word) ? 'punctuation' : 'identifier', end }
  }
  if (isDigit(first) || (first === '.' && isDigit(characters[start + 1]))) {
    return scanNumber(characters, start)
  }
  if (first === '`') return scanEscapedIdentifier(characters, start)
  if (twoCharacterTokens.has(first + (characters[start + 1] ?? ''))) {
    return { kind: 'punctuation', end: start + 2 }
  }
  return oneCharacterTokens.has(first) ? { kind: 'punctuation', end: start + 1 } : undefined
}

function scanNumber(characters: readonly string[], start: number): Scanned {
  if (characters[start] === '0' && characters[start + 1] === 'x') {
    let end = start + 2
    while (isHexDigit(characters[end])) end++
    if (end > start + 2) return withUnsigned(characters, end)
  }
  let end = skipDigits(characters, start)
  let fractional = false
  if (characters[end] === '.' && isDigit(characters[end + 1])) {
    fractional = true
    end = skipDigits(characters, end + 1)
  }
  if (characters[end] === 'e' || characters[end] === 'E') {
    const sign = characters[end + 1] === '+' || characters[end + 1] === '-' ? 1 : 0
    if (isDigit(characters[end + 1 + sign])) {
      fractional = true
      end = skipDigits(characters, end + 1 + sign)
    }
  }
  return fractional ? { kind: 'double', end } : withUnsigned(characters, end)
}

function withUnsigned(characters: readonly string[], end: number): Scanned {
  const unsigned = characters[end] === 'u' || characters[end] === 'U'
  return unsigned ? { kind: 'uint', end: end + 1 } : { kind: 'int', end }
}

function scanEscapedIdentifier(characters: readonly string[], start: number): Scanned | undefined {
  let end = start + 1
  while (/^[A-Za-z0-9_./ -]$/.test(characters[end] ?? '')) end++
  const closed = characters[end] === '`' && end > start + 1
  return closed ? { kind: 'escaped-identifier', end: end + 1 } : undefined
}

/** Reads `'…'`, `"…"` or their triple forms, each with an optional prefix `r`, `b` or `br`. */
function scanQuoted(characters: readonly string[], start: number): Scanned | undefined {
  let at = start
  const bytes = characters[at] === 'b' || characters[at] === 'B'
  if (bytes) at++
  const raw = characters[at] === 'r' || characters[at] === 'R'
  if (raw) at++
  const quote = characters[at]
  if (quote !== "'" && quote !== '"') return undefined
  const triple = characters[at + 1] === quote && characters[at + 2] === quote
  const end = scanUntilQuote(characters, at + (triple ? 3 : 1), quote, triple, raw)
  if (end === undefined) {
    // Two quotes that do not open a triple-quoted string are the empty string.
    return triple ? { kind: bytes ? 'bytes' : 'string', end: at + 2 } : undefined
  }
  return { kind: bytes ? 'bytes' : 'string', end }
}

function scanUntilQuote(
  characters: readonly string[],
  start: number,
  quote: string,
  triple: boolean,
  raw: boolean,
): number | undefined {
  let at = start
  while (at < characters.length) {
    const character = characters[at]
    if (character === quote) {
      if (!triple) return at + 1
      if (characters[at + 1] === quote && characters[at + 2] === quote) return at + 3
    }
    if (character === '\\' && !raw) {
      const length = escapeLength(characters, at)
      if (length === 0) return undefined
      at += length
      continue
    }
    if (!triple && (character === '\n' || character === '\r')) return undefined
    at++
  }
  return undefined
}

/** The length of the escape sequence at this backslash; 0 if it is invalid. */
function escapeLength(characters: readonly string[], at: number): number {
  const kind = characters[at + 1] ?? ''
  if (kind !== '' && 'abfnrtv"\'\\?`'.includes(kind)) return 2
  const digits = { x: 2, X: 2, u: 4, U: 8 }[kind]
  if (digits !== undefined) {
    for (let index = 0; index < digits; index++) {
      if (!isHexDigit(characters[at + 2 + index])) return 0
    }
    return 2 + digits
  }
  const octal = characters.slice(at + 1, at + 4).join('')
  return /^[0-3][0-7][0-7]$/.test(octal) ? 4 : 0
}

/** The offset where the lexer resumes after an invalid token: after an unterminated string, or after one character. */
function scanGarbage(characters: readonly string[], start: number): number {
  const first = characters[start] ?? ''
  // The error of an incomplete two-character operator includes the next character.
  if ('=&|'.includes(first)) return Math.min(start + 2, characters.length)
  if (first !== "'" && first !== '"') return start + 1
  let at = start + 1
  while (at < characters.length && characters[at] !== '\n' && characters[at] !== '\r') {
    if (characters[at] === '\\') {
      const length = escapeLength(characters, at)
      if (length === 0) return Math.min(at + 2, characters.length)
      at += length
    } else at++
  }
  return at
}

function skipDigits(characters: readonly string[], start: number): number {
  let at = start
  while (isDigit(characters[at])) at++
  return at
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

function isHexDigit(character: string | undefined): boolean {
  return character !== undefined && /^[0-9a-fA-F]$/.test(character)
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z_]$/.test(character)
}

import { anyText, type Token, tokenMatcher, type Work } from './token-matcher.ts'

/**
 * Whether a name matches a pattern: `*` is any text without `/`, `?` one character without it, `[a-z]` and `[^a-z]`
 * one of a set, `\` escapes the next character. Throws a SyntaxError for an invalid pattern.
 */
export function globMatcher(pattern: string, work?: Work): (name: string) => boolean {
  return tokenMatcher(tokensOf(pattern), { separator: '/', work })
}

function tokensOf(pattern: string): Token[] {
  const characters = [...pattern]
  const tokens: Token[] = []
  let at = 0
  while (at < characters.length) {
    const character = characters[at] ?? ''
    if (character === '[') {
      const set = readSet(pattern, characters, at + 1)
      tokens.push(set.token)
      at = set.end
      continue
    }
    if (character === '*') tokens.push(anyText)
    else if (character === '?') tokens.push((code) => code !== slash)
    else tokens.push(equals(character === '\\' ? escaped(pattern, characters, at) : character))
    at += character === '\\' ? 2 : 1
  }
  return tokens
}

const slash = 0x2f

function equals(character: string): Token {
  const wanted = character.codePointAt(0)
  return (code) => code === wanted
}

function escaped(pattern: string, characters: readonly string[], at: number): string {
  return characters[at + 1] ?? malformed(pattern)
}

interface Range {
  readonly low: number
  readonly high: number
}

/** Reads a set from behind its opening bracket. */
function readSet(
  pattern: string,
  characters: readonly string[],
  start: number,
): { token: Token; end: number } {
  const isNegated = characters[start] === '^' && characters[start + 1] !== ']'
  const ranges: Range[] = []
  let at = start + (isNegated ? 1 : 0)
  const readMember = (): number => {
    const isEscaped = characters[at] === '\\'
    const member = isEscaped ? escaped(pattern, characters, at) : characters[at]
    at += isEscaped ? 2 : 1
    return member?.codePointAt(0) ?? malformed(pattern)
  }
  while (characters[at] !== ']') {
    const low = readMember()
    const isRange = characters[at] === '-' && characters[at + 1] !== ']'
    if (isRange) at += 1
    const high = isRange ? readMember() : low
    if (high < low) malformed(pattern)
    ranges.push({ low, high })
  }
  if (ranges.length === 0) malformed(pattern)
  const isListed = (code: number) => ranges.some(({ low, high }) => low <= code && code <= high)
  return { token: (code) => code !== slash && isListed(code) !== isNegated, end: at + 1 }
}

function malformed(pattern: string): never {
  throw new SyntaxError(`invalid pattern ${pattern}`)
}

import { anyText, type Token, tokenMatcher, type Work } from './token-matcher.ts'

/** Whether the whole text fits the pattern, in which `*` stands for any text, also none. */
export function matchesWildcard(pattern: string, text: string, work?: Work): boolean {
  const first = pattern.indexOf('*')
  if (first === -1) return pattern === text
  const last = pattern.lastIndexOf('*')
  const isFramed =
    text.length >= first + pattern.length - last - 1 &&
    text.startsWith(pattern.slice(0, first)) &&
    text.endsWith(pattern.slice(last + 1))
  if (!isFramed || first === last) return isFramed
  const between = text.slice(first, text.length - (pattern.length - last - 1))
  const middle = pattern.slice(first, last + 1).replaceAll(/\*+/g, '*')
  // A pattern may be far longer than what it is compared with; then it is not even taken apart.
  if (middle.length > 2 * between.length + 1) return false
  return tokenMatcher([...middle].map(tokenOf), { work })(between)
}

function tokenOf(character: string): Token {
  if (character === '*') return anyText
  const wanted = character.codePointAt(0)
  return (code) => code === wanted
}

/** The first of the patterns that the text fits. */
export function firstMatch(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => matchesWildcard(pattern, text))
}

/**
 * Whether a name matches a pattern: `*` is any text without `/`, `?` one character without it, `[a-z]` and `[^a-z]`
 * one of a set, `\` escapes the next character. Throws a SyntaxError for an invalid pattern.
 */
export function globMatcher(pattern: string): (name: string) => boolean {
  const expression = new RegExp(`^(?:${source(pattern)})$`, 'u')
  return (name) => expression.test(name)
}

function source(pattern: string): string {
  let text = ''
  let rest = pattern
  while (rest !== '') {
    const [token = '', , set] = tokenPattern.exec(rest) ?? []
    if (token === '') throw new SyntaxError(`invalid pattern ${pattern}`)
    text += translated(token, set)
    rest = rest.slice(token.length)
  }
  return text
}

/** A wildcard, an escaped character, a set, or a literal character. */
const tokenPattern = /^(?:\*|\?|\\(.)|\[(\^?(?:\\.|[^\]\\])+)\]|[^\\[])/su

function translated(token: string, set: string | undefined): string {
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (set !== undefined) return `(?!/)[${set.replace(/\\(.)|\[/gsu, setMember)}]`
  return literal(token.startsWith('\\') ? token.slice(1) : token)
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')
}

function setMember(token: string, character = token): string {
  return /[[\]\\^-]/.test(character) ? `\\${character}` : character
}

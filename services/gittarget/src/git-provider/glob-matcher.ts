/**
 * Whether a name matches a pattern: `*` is any text without `/`, `?` one character without it, `[a-z]` and `[^a-z]` one of a
 * set, `\` takes the next character as it is. A malformed pattern is a SyntaxError, never silence.
 */
export const globMatcher = (pattern: string): ((name: string) => boolean) => {
  const expression = new RegExp(`^(?:${source(pattern)})$`, 'u')
  return (name) => expression.test(name)
}

const source = (pattern: string): string => {
  let text = ''
  let rest = pattern
  while (rest !== '') {
    const [token = '', , set] = TOKEN.exec(rest) ?? []
    if (token === '') throw new SyntaxError(`the pattern ${pattern} is malformed`)
    text += translated(token, set)
    rest = rest.slice(token.length)
  }
  return text
}

/** A wildcard, an escaped character, a set, or one character that stands for itself. */
const TOKEN = /^(?:\*|\?|\\(.)|\[(\^?(?:\\.|[^\]\\])+)\]|[^\\[])/su

const translated = (token: string, set: string | undefined): string => {
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (set !== undefined) return `(?!/)[${set.replace(/\\(.)|\[/gsu, setMember)}]`
  return literal(token.startsWith('\\') ? token.slice(1) : token)
}

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')

const setMember = (token: string, character = token): string =>
  /[[\]\\^-]/.test(character) ? `\\${character}` : character

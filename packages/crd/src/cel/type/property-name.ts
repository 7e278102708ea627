/** The escaped name of a property in an expression; undefined if the name cannot be escaped. */
export function escapeProperty(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  if (reservedWords.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => escapedCharacters.get(part) ?? part)
}

/** The property of an escaped name; undefined if an escape is invalid. */
export function unescapeProperty(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped
  let valid = true
  const name = escaped.replace(/__[^_]+__/g, (part) => {
    const content = part.slice(2, -2)
    const plain = unescapedSequences.get(content)
    if (plain !== undefined) return plain
    if (!reservedWords.has(content) || part.length !== escaped.length) valid = false
    return content
  })
  return valid ? name : undefined
}

/** Kubernetes accepts reserved words as field names: `self.if` is the same as `self.__if__`. */
export function isReservedWord(name: string): boolean {
  return reservedWords.has(name)
}

const reservedWords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const escapedCharacters = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

const unescapedSequences = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
])

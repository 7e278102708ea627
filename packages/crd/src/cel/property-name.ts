/** How a property is named in an expression, or undefined where its name cannot be written in CEL at all. */
export function escapeProperty(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  if (RESERVED.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => ESCAPES.get(part) ?? part)
}

/** The reverse; undefined where an escape in it is none. */
export function unescapeProperty(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped
  let valid = true
  const name = escaped.replace(/__[^_]+__/g, (part) => {
    const content = part.slice(2, -2)
    const plain = UNESCAPES.get(content)
    if (plain !== undefined) return plain
    if (!RESERVED.has(content) || part.length !== escaped.length) valid = false
    return content
  })
  return valid ? name : undefined
}

/** Reserved words are fine as field names in Kubernetes: `self.if` means what `self.__if__` means. */
export function isReservedWord(name: string): boolean {
  return RESERVED.has(name)
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const ESCAPES = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

const UNESCAPES = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
])

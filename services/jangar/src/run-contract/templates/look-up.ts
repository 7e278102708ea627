type Found =
  | { readonly ok: true; readonly value: unknown }
  /** `known`: the names that exist instead. */
  | { readonly ok: false; readonly known: string }

/**
 * Follows a path through JSON data. Own members alone count: `__proto__`, `constructor` and `length` are as unknown
 * as anything else that the data does not hold.
 */
export function lookUp(data: unknown, path: readonly string[]): Found {
  let value = data
  for (const [index, segment] of path.entries()) {
    const member = memberOf(value, segment)
    if (member === undefined) {
      return { ok: false, known: describe(value, path.slice(0, index).join('.')) }
    }
    value = member
  }
  return { ok: true, value }
}

const listIndex = /^(?:0|[1-9]\d{0,8})$/

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return listIndex.test(name) ? value[Number(name)] : undefined
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

const mostNamesListed = 12

function describe(value: unknown, name: string): string {
  if (Array.isArray(value)) return `${name} has ${value.length} entries, counted from 0`
  if (typeof value !== 'object' || value === null) return `${name} has no members`
  const names = Object.keys(value).toSorted()
  if (names.length === 0) return name === '' ? 'no values are available' : `${name} is empty`
  const rest = names.length > mostNamesListed ? ` and ${names.length - mostNamesListed} more` : ''
  const subject = name === '' ? 'available:' : `${name} has`
  return `${subject} ${names.slice(0, mostNamesListed).join(', ')}${rest}`
}

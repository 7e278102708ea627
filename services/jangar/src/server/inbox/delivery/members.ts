/** The value at a path of own members in parsed JSON. Undefined if it is absent or null. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[name]
  }
  return at ?? undefined
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path)
  // Half of a character cannot be stored.
  return typeof found === 'string' ? found.toWellFormed() : undefined
}

export function flagAt(value: unknown, ...path: readonly string[]): boolean | undefined {
  const found = valueAt(value, path)
  return typeof found === 'boolean' ? found : undefined
}

/** A number such as that of an issue. */
export function wholeAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path)
  return Number.isSafeInteger(found) && (found as number) > 0 ? (found as number) : undefined
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

export function objectAt(value: unknown, ...path: readonly string[]): object | undefined {
  const found = valueAt(value, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : undefined
}

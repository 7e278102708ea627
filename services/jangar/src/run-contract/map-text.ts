/**
 * The same value with every text in it changed, at any depth. Names of members stay, so they must not be a program's
 * own.
 */
export function mapText<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((entry: unknown) => mapText(entry, change)) as T
  if (typeof value !== 'object' || value === null) return value
  const changed = Object.entries(value).map(([name, member]) => [name, mapText(member, change)])
  return Object.fromEntries(changed) as T
}

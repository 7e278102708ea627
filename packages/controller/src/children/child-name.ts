import { createHash } from 'node:crypto'

/** The longest name that is also valid as a label value and as a host name. */
const longest = 63

/**
 * A deterministic name: the same parts give the same name, so that a repeated create finds the first child. A digest
 * keeps `a-b`, `c` apart from `a`, `b-c`, and truncated names apart from each other.
 */
export function childName(...parts: readonly string[]): string {
  const joined = parts.join('-')
  if (parts.length === 1 && joined.length <= longest) return joined
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)
  const room = longest - digest.length - 1
  return `${joined.slice(0, room).replace(/[^a-z0-9]+$/, '')}-${digest}`
}

import { createHash } from 'node:crypto'

/** The longest name that is also good for a label value and a host name. */
const longest = 63

/**
 * The same parts give the same name, different parts different ones, whatever their length: so creating a child twice finds
 * the first. A digest tells `a-b`, `c` from `a`, `b-c`, and long names that are cut from each other.
 */
export function childName(...parts: readonly string[]): string {
  const joined = parts.join('-')
  if (parts.length === 1 && joined.length <= longest) return joined
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)
  const room = longest - digest.length - 1
  return `${joined.slice(0, room).replace(/[^a-z0-9]+$/, '')}-${digest}`
}

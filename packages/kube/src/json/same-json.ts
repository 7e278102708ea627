/**
 * Compares values as JSON: the order of members, absent or undefined members, and number or bigint make no difference.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    // The one comparison that mixes number and bigint exactly.
    return isNumeric(a) && isNumeric(b) && a <= b && a >= b
  }
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each, index) => sameJson(each ?? null, b[index] ?? null))
    )
  }
  if (!isObject(a) || !isObject(b)) return false
  let members = 0
  for (const name of Object.keys(a)) {
    if (a[name] === undefined) continue
    members++
    if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false
  }
  return members === countMembers(b)
}

function countMembers(object: Record<string, unknown>): number {
  let members = 0
  for (const name of Object.keys(object)) if (object[name] !== undefined) members++
  return members
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

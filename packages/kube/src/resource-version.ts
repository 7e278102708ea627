/**
 * Negative if `a` is older than `b`. Resource versions are decimal numbers of any length; versions of another form
 * cannot be compared and count as equal.
 */
export function compareRevisions(a: string, b: string): number {
  if (a === b || !areComparable(a, b)) return 0
  const difference = a.length - b.length
  if (difference !== 0) return difference
  return a < b ? -1 : 1
}

/** Whether `seen` is `wanted` or later. A version that is not a decimal number is only as late as itself. */
export function isAtLeastRevision(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined || seen === '') return false
  return seen === wanted || (areComparable(seen, wanted) && compareRevisions(seen, wanted) > 0)
}

/** Whether a watch can start from it. */
export function isDefinite(revision: string): boolean {
  return revision !== '' && revision !== '0'
}

function areComparable(a: string, b: string): boolean {
  return decimal.test(a) && decimal.test(b)
}

const decimal = /^(0|[1-9]\d*)$/

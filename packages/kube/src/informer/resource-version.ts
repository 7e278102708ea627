/**
 * Negative when `a` is older than `b`. Resource versions are decimal numbers of any length; with one of another form
 * nothing can be said, and they count as equal.
 */
export function compareRevisions(a: string, b: string): number {
  if (a === b || !decimal.test(a) || !decimal.test(b)) return 0
  const difference = a.length - b.length
  if (difference !== 0) return difference
  return a < b ? -1 : 1
}

/** Whether a watch can start after it. */
export function isDefinite(revision: string): boolean {
  return revision !== '' && revision !== '0'
}

const decimal = /^(0|[1-9]\d*)$/

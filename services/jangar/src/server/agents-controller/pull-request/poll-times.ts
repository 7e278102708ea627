const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long it is tried to open a pull request. */
export const longestOpeningMs = 24 * hour

/** The next attempt to open one: soon at first, then less and less often. */
export function nextAttemptMs(ageMs: number): number {
  return between(5 * second, ageMs / 4, 30 * minute)
}

/** The next look at an open one: often while it is new. */
export function nextLookMs(ageMs: number): number {
  return between(20 * second, ageMs / 20, hour)
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

/** Changes that others make are on the page within a second. */
const soonMs = 500
/** Of the time, at most a fifth is spent with asking: what takes long to list is asked for less often. */
const pauses = 4
/** After what was refused, or failed. */
const failedMs = 5_000

/** In milliseconds, whole ones: another value would begin the pause again. */
export function pauseAfter(tookMs: number, hasFailed: boolean): number {
  if (hasFailed) return failedMs
  return Math.max(soonMs, Math.ceil(tookMs * pauses))
}

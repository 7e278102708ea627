/** Older changes were not observed when they happened, but found later. */
const freshMs = 2_000

/**
 * The time of a change in milliseconds since the epoch. API timestamps have a resolution of one second, and many runs
 * are shorter than that, so the local clock is used for changes that are observed soon after they happened.
 */
export function seenAt(timestamp: string | undefined, seenMs: number): number {
  const told = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  if (Number.isNaN(told)) return seenMs
  return seenMs >= told && seenMs - told < freshMs ? seenMs : told
}

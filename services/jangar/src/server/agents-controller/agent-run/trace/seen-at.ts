/** Beyond that it was not seen when it happened, but found later. */
const FRESH_MS = 2_000

/**
 * When something happened, in milliseconds since 1970. The API tells whole seconds, and many a run takes less than one; what was seen
 * soon afterwards is told better by the clock of whoever saw it.
 */
export function seenAt(timestamp: string | undefined, seenMs: number): number {
  const told = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  if (Number.isNaN(told)) return seenMs
  return seenMs >= told && seenMs - told < FRESH_MS ? seenMs : told
}

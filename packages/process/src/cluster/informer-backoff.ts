/** Short enough that a kind is found soon after its CRD is installed. */
export const informerBackoff = { baseMs: 500, maxMs: 5_000, resetAfterMs: 120_000 }

export interface BackoffOptions {
  readonly firstMs: number
  readonly maxMs: number
  /** A number in [0, 1), such as `Math.random`. */
  readonly random: () => number
}

export const defaultBackoff: BackoffOptions = {
  firstMs: 1_000,
  maxMs: 60_000,
  random: Math.random,
}

/** The delay after this many consecutive failures: it doubles, with jitter so that workers do not retry in step. */
export function backoffDelay(failures: number, { firstMs, maxMs, random }: BackoffOptions): number {
  const longest = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(longest * (0.5 + random() / 2))
}

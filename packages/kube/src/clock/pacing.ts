import { type Clock, systemClock } from './clock.ts'

/** The clock and the randomness for delays between attempts. */
export interface Pacing {
  readonly clock: Clock
  /** In [0, 1), for jitter. */
  readonly random: () => number
}

export const systemPacing: Pacing = { clock: systemClock, random: Math.random }

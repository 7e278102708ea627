import { isConflict } from '@agents/kube'
import { type Clock, sleep, systemClock } from '../clock/clock.ts'

export interface ConflictRetries {
  readonly tries: number
  readonly delayMs: number
  readonly factor: number
  /** Up to this share is added by chance. */
  readonly jitter: number
}

/** For writers that meet by accident. */
export const defaultRetries: ConflictRetries = { tries: 5, delayMs: 10, factor: 1, jitter: 0.1 }

/** For writers that meet all the time. */
export const patientRetries: ConflictRetries = { tries: 4, delayMs: 10, factor: 5, jitter: 0.1 }

/** Tries again while the server answers Conflict. `attempt` reads anew each time, or it would meet the same conflict. */
export async function retryOnConflict<V>(
  attempt: () => Promise<V>,
  retries: ConflictRetries = defaultRetries,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): Promise<V> {
  let delay = retries.delayMs
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error) || tried >= retries.tries) throw error
      await sleep(clock, delay * (1 + retries.jitter * random()))
      delay *= retries.factor
    }
  }
}

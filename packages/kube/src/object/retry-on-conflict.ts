import { type Clock, systemClock } from '../client/clock.ts'
import { isConflict } from '../client/kube-error.ts'

export interface ConflictBackoff {
  readonly steps: number
  readonly delayMs: number
  readonly factor: number
  readonly jitter: number
}

/** For conflicts that pass quickly. */
export const defaultConflictRetry: ConflictBackoff = {
  steps: 5,
  delayMs: 10,
  factor: 1,
  jitter: 0.1,
}

/** `attempt` must read the object anew each time: what it read before is what the conflict was about. */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  backoff: ConflictBackoff = defaultConflictRetry,
  clock: Clock = systemClock,
): Promise<T> {
  let delay = backoff.delayMs
  for (let step = 1; ; step++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error) || step >= backoff.steps) throw error
      await clock.sleep(delay * (1 + clock.random() * backoff.jitter))
      delay *= backoff.factor
    }
  }
}

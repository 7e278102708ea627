/**
 * Thrown by `checkWorkLimit` when synchronous work has exceeded its time limit. The work has no visible effects yet, so
 * the caller can repeat it on a thread where it may take longer.
 */
export class WorkLimitExceeded extends Error {
  override name = 'WorkLimitExceeded'
  constructor() {
    super('the work takes too long for this thread')
  }
}

let deadline = Number.POSITIVE_INFINITY

/** Runs synchronous work with a time limit, which `checkWorkLimit` enforces. */
export function limitWork<T>(milliseconds: number, work: () => T): T {
  const outer = deadline
  deadline = Math.min(outer, performance.now() + milliseconds)
  try {
    return work()
  } finally {
    deadline = outer
  }
}

/** The number of uninterruptible steps, of at most some microseconds each, that may start under a limit. */
const maxSteps = 20_000

/**
 * Throws if the current work has exceeded its limit. Work whose length depends on client input calls it regularly, and
 * before an uninterruptible part with the approximate number of steps of that part. Does nothing outside of
 * `limitWork`.
 */
export function checkWorkLimit(steps = 0): void {
  if (deadline === Number.POSITIVE_INFINITY) return
  if (steps > maxSteps || performance.now() > deadline) throw new WorkLimitExceeded()
}

import { RunFailure } from '../../run-contract/run-failure.ts'

/** Why a run is stopped before it is complete. */
type StopReason =
  | { readonly kind: 'TimedOut'; readonly seconds: number }
  | { readonly kind: 'Terminated'; readonly signal: NodeJS.Signals }

export interface Stop {
  /** Aborts when the run has to end. */
  readonly signal: AbortSignal
  reason(): StopReason | undefined
  request(reason: StopReason): void
}

export function createStop(): Stop {
  const controller = new AbortController()
  let first: StopReason | undefined
  return {
    signal: controller.signal,
    reason: () => first,
    request(reason) {
      if (first !== undefined) return
      first = reason
      controller.abort()
    },
  }
}

const longestTimerMs = 2 ** 31 - 1

/**
 * Requests a stop after the given time; returns a function that cancels it. 0, or more than a timer can hold, means no
 * limit.
 */
export function stopAfter(stop: Stop, seconds: number): () => void {
  const ms = seconds * 1000
  if (ms === 0 || ms > longestTimerMs) return () => undefined
  const timer = setTimeout(() => stop.request({ kind: 'TimedOut', seconds }), ms)
  return () => clearTimeout(timer)
}

/** Throws a RunFailure with the reason of the stop, if one was requested. */
export function throwIfStopped(stop: Stop): void {
  const reason = stop.reason()
  if (reason === undefined) return
  throw reason.kind === 'TimedOut'
    ? new RunFailure('TimedOut', `the run exceeded its limit of ${reason.seconds} s`)
    : new RunFailure('Terminated', `the run was stopped by ${reason.signal}`)
}

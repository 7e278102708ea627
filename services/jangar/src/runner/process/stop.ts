import { RunFailure } from '../run-failure.ts'

/** Why a run is to end before it is done. */
export type StopReason =
  | { readonly kind: 'TimedOut'; readonly seconds: number }
  | { readonly kind: 'Terminated'; readonly signal: NodeJS.Signals }

export interface Stop {
  /** Aborts when the run is to end. */
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

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Asks for the stop when the time is over; returns how to call that off. No limit for 0, nor beyond what a timer can count. */
export function stopAfter(stop: Stop, seconds: number): () => void {
  const ms = seconds * 1000
  if (ms === 0 || ms > LONGEST_TIMER_MS) return () => undefined
  const timer = setTimeout(() => stop.request({ kind: 'TimedOut', seconds }), ms)
  return () => clearTimeout(timer)
}

/** Fails for the reason of the stop, if one was asked for. */
export function throwIfStopped(stop: Stop): void {
  const reason = stop.reason()
  if (reason === undefined) return
  throw reason.kind === 'TimedOut'
    ? new RunFailure('TimedOut', `it took longer than ${reason.seconds} s`)
    : new RunFailure('Terminated', `it was told to stop with ${reason.signal}`)
}

import { useRef } from 'react'
import { useIsLive } from './console-data.tsx'

/** Changes that others make are on the page within a second. */
const soonMs = 500
/** Of the time, at most a fifth is spent with asking: what takes long to list is asked for less often. */
const pauses = 4
/** After what was refused, or failed. */
const failedMs = 5_000

interface AskAgain {
  /** Asks, and remembers how long that took. */
  readonly timed: <T>(ask: () => Promise<T>) => Promise<T>
  readonly refetchInterval: (query: {
    readonly state: { readonly error: unknown }
  }) => number | false
}

/** How often a query of a kind's objects is repeated: not at all while their changes are reported. */
export function useAskAgain(kind: string): AskAgain {
  const isLive = useIsLive(kind)
  const took = useRef(0)
  return {
    timed: async (ask) => {
      const began = performance.now()
      const answer = await ask()
      took.current = performance.now() - began
      return answer
    },
    refetchInterval: ({ state }) => {
      const hasFailed = state.error !== null
      return isLive && !hasFailed ? false : pauseAfter(took.current, hasFailed)
    },
  }
}

/** In milliseconds, whole ones: another value would begin the pause again. */
export function pauseAfter(tookMs: number, hasFailed: boolean): number {
  if (hasFailed) return failedMs
  return Math.max(soonMs, Math.ceil(tookMs * pauses))
}

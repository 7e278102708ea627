import { useRef } from 'react'

/** Changes that others make are on the page within a second. */
const soonMs = 500
/** Of the time, at most a fifth is spent with asking: what takes long to list is asked for less often. */
const pauses = 4
/** After what was refused, or failed. */
const failedMs = 5_000

interface AskAgain {
  /** Asks, and remembers how long that took. */
  readonly timed: <T>(ask: () => Promise<T>) => Promise<T>
  readonly refetchInterval: (query: { readonly state: { readonly error: unknown } }) => number
}

/** How often a query is repeated. The API reports changes of runs only; other objects are asked for again. */
export function useAskAgain(): AskAgain {
  const took = useRef(0)
  return {
    timed: async (ask) => {
      const began = performance.now()
      const answer = await ask()
      took.current = performance.now() - began
      return answer
    },
    refetchInterval: ({ state }) => pauseAfter(took.current, state.error !== null),
  }
}

/** In milliseconds, whole ones: another value would begin the pause again. */
export function pauseAfter(tookMs: number, hasFailed: boolean): number {
  if (hasFailed) return failedMs
  return Math.max(soonMs, Math.ceil(tookMs * pauses))
}

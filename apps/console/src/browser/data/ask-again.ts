import { useRef } from 'react'
import { useIsLive } from './console-data.tsx'
import { pauseAfter } from './pause-after.ts'

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

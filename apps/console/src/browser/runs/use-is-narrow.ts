import { useSyncExternalStore } from 'react'

/** Where the style sheet puts rows into two lines. */
const narrow = matchMedia('(max-width: 760px)')

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )
}

import type { Access, Act } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useConsoleData } from './console-data.tsx'

/** Rights change seldom, and the server checks each act anyway. */
const freshMs = 60_000

/** Which acts the caller may do. Undefined until that is known: buttons do not flicker. */
export function useAccess(acts: readonly Act[]): readonly (Access | undefined)[] {
  const { client } = useConsoleData()
  const { data } = useQuery({
    queryKey: ['access', acts],
    queryFn: ({ signal }) => client.reviewAccess(acts, signal),
    staleTime: freshMs,
  })
  return acts.map((_act, index) => data?.[index])
}

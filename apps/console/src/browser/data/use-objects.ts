import type { ApiObject } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useConsoleData } from './console-data.tsx'

interface Objects {
  /** Undefined until they are listed. */
  readonly objects: readonly ApiObject[] | undefined
  readonly error: unknown
}

/** The API reports changes of runs only; other objects are asked for again. */
const refetchMs = 3_000

/** The first 500 objects of a kind, in a namespace or in all. */
export function useObjects(kind: string, namespace: string | undefined): Objects {
  const { client } = useConsoleData()
  const { data, error } = useQuery({
    queryKey: ['objects', kind, 'first', namespace ?? ''],
    queryFn: ({ signal }) =>
      client.listObjects(
        kind,
        { limit: 500, ...(namespace !== undefined && { namespace }) },
        signal,
      ),
    refetchInterval: refetchMs,
    retry: false,
  })
  return { objects: data?.items, error }
}

import type { ApiObject } from '@agents/client'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useAskAgain } from './ask-again.ts'
import { useConsoleData } from './console-data.tsx'

interface Objects {
  /** Undefined until they are listed. */
  readonly objects: readonly ApiObject[] | undefined
  readonly error: unknown
}

/** The first 500 objects of a kind, in a namespace or in all. */
export function useObjects(kind: string, namespace: string | undefined, enabled = true): Objects {
  const { client } = useConsoleData()
  const { timed, refetchInterval } = useAskAgain(kind)
  const { data, error } = useQuery({
    queryKey: ['objects', kind, 'first', namespace ?? ''],
    queryFn: ({ signal }) =>
      timed(() => client.listObjects(kind, { limit: 500, ...placed(namespace) }, signal)),
    refetchInterval,
    retry: false,
    enabled,
  })
  return { objects: data?.items, error }
}

interface AllObjects extends Objects {
  readonly hasMore: boolean
  readonly loadMore: () => void
}

/** The objects of a kind, page after page. */
export function useAllObjects(kind: string, namespace: string | undefined): AllObjects {
  const { client } = useConsoleData()
  const { timed, refetchInterval } = useAskAgain(kind)
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['objects', kind, 'all', namespace ?? ''],
    queryFn: ({ pageParam, signal }) => {
      const page = { limit: 200, ...(pageParam !== '' && { continue: pageParam }) }
      return timed(() => client.listObjects(kind, { ...page, ...placed(namespace) }, signal))
    },
    initialPageParam: '',
    getNextPageParam: ({ metadata }) => metadata.continue || undefined,
    placeholderData: keepPreviousData,
    refetchInterval,
    retry: false,
  })
  return {
    objects: data?.pages.flatMap(({ items }) => items),
    error,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
  }
}

function placed(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

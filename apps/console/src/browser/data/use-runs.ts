import type { RunFilter, RunSummary } from '@agents/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useConsoleData, useRunOverlay } from './console-data.tsx'
import { isLive, mergeRuns } from './merge-runs.ts'

const pageSize = 200

/** How often runs are asked for that changes do not report. */
const refetchMs = 5_000

interface Runs {
  readonly runs: readonly RunSummary[]
  readonly isLoading: boolean
  readonly error: unknown
  /** Whether there are older runs than those. */
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  /** Whether archived runs are missing, since the database does not answer. */
  readonly isArchiveAway: boolean
}

/** The runs that match, newest first, page after page, and as they change. */
export function useRuns(filter: RunFilter): Runs {
  const { client } = useConsoleData()
  const overlay = useRunOverlay()
  const query = useInfiniteQuery({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listRuns({ ...filter, limit: pageSize, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: isLive(filter) ? false : refetchMs,
  })
  const { data, hasNextPage } = query
  const loaded = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const runs = useMemo(
    () => mergeRuns(loaded, overlay, filter, !hasNextPage),
    [loaded, overlay, filter, hasNextPage],
  )
  return {
    runs,
    isLoading: query.isPending,
    error: query.error,
    hasMore: hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    isArchiveAway: data?.pages.some(({ archive }) => archive === 'unavailable') ?? false,
  }
}

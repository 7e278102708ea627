import { ApiClient, type StreamState } from '@agents/client'
import { QueryClient } from '@tanstack/react-query'
import { createContext, useContext, useSyncExternalStore } from 'react'
import { LiveRuns } from './live-runs.ts'
import type { RunOverlay } from './merge-runs.ts'
import { Refresh } from './refresh.ts'

/** The key of all queries of referrers. No kind has this name. */
export const referrers = 'referrers'

/** What all pages share. */
interface ConsoleData {
  readonly client: ApiClient
  readonly queries: QueryClient
  readonly live: LiveRuns
}

export function createConsoleData(
  sessionHeaders: () => Readonly<Record<string, string>>,
): ConsoleData {
  const client = new ApiClient({ headers: sessionHeaders })
  const queries = new QueryClient({
    defaultOptions: {
      queries: { retry: 1, refetchOnWindowFocus: false, staleTime: 5_000 },
    },
  })
  const refresh = new Refresh(async (kind) => {
    if (kind === referrers) {
      // One that is being read is not cut: it may take longer than the time between two changes.
      await queries.invalidateQueries({ queryKey: [referrers] }, { cancelRefetch: false })
      return
    }
    const queryKeys = ['objects', 'object'].map((each) => [each, kind])
    await Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })))
  })
  const live = new LiveRuns(client, {
    onReset: () => void queries.invalidateQueries(),
    onKind: (kind) => {
      refresh.note(kind)
      // References are of all kinds.
      refresh.note(referrers)
    },
  })
  return { client, queries, live }
}

const context = createContext<ConsoleData | undefined>(undefined)

export const ConsoleDataProvider = context.Provider

export function useConsoleData(): ConsoleData {
  const data = useContext(context)
  if (data === undefined) throw new Error('the page is outside of the console')
  return data
}

export function useStreamState(): StreamState {
  const { live } = useConsoleData()
  return useSyncExternalStore(live.subscribe, live.state)
}

/** Whether changes of the kind arrive, so that its objects need not be asked for again. */
export function useIsLive(kind: string): boolean {
  const { live } = useConsoleData()
  return useSyncExternalStore(live.subscribe, () => live.isLive(kind))
}

/** The changes of runs since the last reset. Another map after each change. */
export function useRunOverlay(): RunOverlay {
  const { live } = useConsoleData()
  return useSyncExternalStore(live.subscribe, live.overlay)
}

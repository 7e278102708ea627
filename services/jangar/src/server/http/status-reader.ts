import type { Clock } from '@agents/controller'
import { RecentAnswers } from '../api/access/recent-answers.ts'
import { needWatched } from '../api/need-runs.ts'

/** Where the status of the control plane comes from. */
export interface StatusSettings {
  /** The namespaces that are reconciled; `*` for all. */
  readonly namespaces: readonly string[]
  readonly read: ReadStatus
}

/** Reads the status of the control plane, as JSON, for a namespace. */
export type ReadStatus = (namespace: string) => Promise<object>

/** Streams and requests of many readers share an answer for so long. */
const usedForMs = 2_000

export function statusReader(
  { namespaces, read }: StatusSettings,
  { clock }: { readonly clock: Clock },
): ReadStatus {
  const recent = new RecentAnswers<object>({ clock, capacity: 100, mostOpen: 16 })
  return async (namespace) => {
    needWatched(namespace, namespaces)
    return await recent.get(namespace, async () => ({
      value: await read(namespace),
      forMs: usedForMs,
    }))
  }
}

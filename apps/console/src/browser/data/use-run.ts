import type { FoundRun, RunKey } from '@agents/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleData, useRunOverlay } from './console-data.tsx'

interface Run {
  readonly found: FoundRun | undefined
  readonly error: unknown
  /** Whether it was deleted while the page was open. */
  readonly isDeleted: boolean
}

/** A run with its whole object, read again when it changes. */
export function useRun(key: RunKey): Run {
  const { client } = useConsoleData()
  const overlay = useRunOverlay()
  const [uid, setUid] = useState('')
  const change = overlay.get(uid)
  const isGone = overlay.has(uid) && change === undefined
  const { data: found, error } = useQuery({
    // The last change is part of the key: another one asks again, and what is shown stays until the answer is there.
    queryKey: ['run', key.kind, key.namespace, key.name, key.uid, change],
    queryFn: ({ signal }) => client.getRun(key, signal),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    enabled: !isGone,
  })
  // Where the archive does not have it, or cannot be read, the last state stays on the page.
  const { data: archived } = useQuery({
    queryKey: ['deleted run', uid],
    queryFn: ({ signal }) => client.getRun({ ...key, uid }, signal),
    enabled: isGone && found?.run.archived !== true,
  })
  if (found !== undefined && found.run.uid !== uid) setUid(found.run.uid)
  const shown = isGone && archived?.run.archived === true ? archived : found
  return { found: shown, error, isDeleted: isGone && shown?.run.archived !== true }
}

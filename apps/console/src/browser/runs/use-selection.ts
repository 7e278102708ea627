import type { RunSummary } from '@agents/client'
import { useCallback, useMemo, useState } from 'react'

interface Selection {
  readonly selected: ReadonlySet<string>
  /** Those of the list that are selected, as they are now. */
  readonly chosen: readonly RunSummary[]
  readonly toggle: (run: RunSummary) => void
  readonly clear: () => void
}

/** Which runs of the list are selected. What has left the list counts no more: nobody sees it. */
export function useSelection(runs: readonly RunSummary[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(({ uid }: RunSummary) => {
    setSelected((before) => {
      const after = new Set(before)
      if (!after.delete(uid)) after.add(uid)
      return after
    })
  }, [])
  const clear = useCallback(() => setSelected(new Set()), [])
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : runs.filter(({ uid }) => selected.has(uid))),
    [runs, selected],
  )
  return { selected, chosen, toggle, clear }
}

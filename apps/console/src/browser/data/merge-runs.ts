import type { RunFilter, RunSummary } from '@agents/client'

/** The last state of runs that changed since the pages were loaded; undefined if the run is deleted. */
export type RunOverlay = ReadonlyMap<string, RunSummary | undefined>

/** The runs of the loaded pages as they are now, newest first. */
export function mergeRuns(
  loaded: readonly RunSummary[],
  overlay: RunOverlay,
  filter: RunFilter,
  isComplete: boolean,
): readonly RunSummary[] {
  if (overlay.size === 0) return loaded
  const last = loaded.at(-1)
  const known = new Set<string>()
  let hasChanged = false
  const merged: RunSummary[] = []
  for (const run of loaded) {
    known.add(run.uid)
    // What the archive keeps stays when the cluster deletes it.
    const isKept = run.archived === true || !overlay.has(run.uid)
    const now = isKept ? run : overlay.get(run.uid)
    if (now !== run) hasChanged = true
    if (now !== undefined && (now === run || matchesFilter(now, filter))) merged.push(now)
  }
  const news = [...overlay.values()].filter(
    (run): run is RunSummary =>
      run !== undefined &&
      isLive(filter) &&
      !known.has(run.uid) &&
      matchesFilter(run, filter) &&
      // What belongs below the loaded pages is loaded with its page.
      (isComplete || last === undefined || compareRuns(run, last) < 0),
  )
  if (news.length === 0) return hasChanged ? merged : loaded
  return [...news, ...merged].sort(compareRuns)
}

/** The order of the API: newest first, then by uid. */
function compareRuns(a: RunSummary, b: RunSummary): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  if (a.uid === b.uid) return 0
  return a.uid < b.uid ? -1 : 1
}

/** Whether changes alone say which runs match: words are looked for in more than summaries have. */
export function isLive({ text, source }: RunFilter): boolean {
  return text === undefined && source !== 'archive'
}

/** As the API filters. */
function matchesFilter(run: RunSummary, filter: RunFilter): boolean {
  const { namespace, kind, phase, agent, label = [], since, until } = filter
  const createdAt = Date.parse(run.createdAt)
  if (since !== undefined && createdAt < Date.parse(since)) return false
  if (until !== undefined && createdAt >= Date.parse(until)) return false
  if (namespace !== undefined && run.namespace !== namespace) return false
  if (kind !== undefined && run.kind !== kind) return false
  if (phase !== undefined && run.phase !== phase) return false
  if (agent !== undefined && (run.kind !== 'AgentRun' || run.of !== agent)) return false
  const own = run.labels ?? {}
  return label.every((each) => {
    const at = each.indexOf('=')
    if (at === -1) return Object.hasOwn(own, each)
    const key = each.slice(0, at)
    return Object.hasOwn(own, key) && own[key] === each.slice(at + 1)
  })
}

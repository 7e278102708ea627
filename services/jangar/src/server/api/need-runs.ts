import { ApiError } from './api-error.ts'
import type { RunSource } from './list-runs.ts'

/** Throws unless the caches have all runs: what they lack would be missing in the answer. */
export function needFilled(sources: readonly Pick<RunSource, 'changes'>[]): void {
  if (sources.every(({ changes }) => changes.isFilled())) return
  throw new ApiError('Unavailable', 'the list of runs is not complete yet; try again', {
    retryAfterMs: 1000,
  })
}

/** Throws, too, if the caches never have the runs of the namespace, because the control plane does not watch it. */
export function needRunsOf(
  namespace: string,
  sources: readonly Pick<RunSource, 'changes' | 'namespaces'>[],
): void {
  for (const { namespaces } of sources) needWatched(namespace, namespaces)
  needFilled(sources)
}

/** `*` in the list of namespaces means all. */
export function needWatched(namespace: string, namespaces: readonly string[]): void {
  if (namespaces.includes('*') || namespaces.includes(namespace)) return
  throw new ApiError('NotFound', `namespace ${namespace} is not one of this control plane`)
}

import { rfc3339, rfc3339NotBefore } from './rfc3339.ts'
import type { RunPhase } from './run-phase.ts'

export interface Lifecycle {
  startedAt?: string
  finishedAt?: string
}

/**
 * Records the first entry into Running and the first entry into a terminal phase. A recorded time is never changed, and
 * a finished run does not start. A run that ends before it has started has no `startedAt`. If the clock was set back,
 * `finishedAt` is still not before `startedAt`.
 */
export function stampLifecycle(
  previous: Readonly<Lifecycle> | undefined,
  phase: RunPhase,
  now: Date,
): Lifecycle {
  const { startedAt, finishedAt } = previous ?? {}
  const lifecycle: Lifecycle = {}
  if (startedAt) lifecycle.startedAt = startedAt
  if (finishedAt) lifecycle.finishedAt = finishedAt
  else if (phase === 'Running') lifecycle.startedAt ??= rfc3339(now)
  else if (phase !== 'Pending') lifecycle.finishedAt = rfc3339NotBefore(now, startedAt)
  return lifecycle
}

import { rfc3339 } from './rfc3339.ts'
import type { RunPhase } from './run-phase.ts'

export interface Lifecycle {
  startedAt?: string
  finishedAt?: string
}

/**
 * Records the first entry into Running and the first entry into a terminal phase. What is recorded is never rewritten, and
 * nothing starts after it has finished. A run that ends without having run has no `startedAt`.
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
  else if (phase !== 'Pending') lifecycle.finishedAt = rfc3339(now)
  return lifecycle
}

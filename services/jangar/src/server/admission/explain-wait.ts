import { rfc3339 } from '@agents/status'
import type { Waiting } from './admission-decision.ts'
import { type BoundedQueue, fullQueue } from './bounded-queue.ts'
import type { Rank } from './fair-queue.ts'
import type { QueuedRun } from './queued-run.ts'
import { isNarrow, isWorkspace, type Scope } from './scope.ts'
import type { Obstacle, Slots } from './slots.ts'

interface Windows {
  readonly lengthMs: number
  readonly now: Date
}

/** Why a run waits. The message stays the same while nothing but the clock changes. */
export function explainWait(
  run: QueuedRun,
  queue: BoundedQueue,
  slots: Slots,
  windows: Windows,
): Waiting {
  const rank = queue.rank(run)
  return { ...explain(run, queue, slots, windows, rank), overallPosition: rank.overall }
}

type Explanation = Omit<Waiting, 'overallPosition'>

function explain(
  run: QueuedRun,
  queue: BoundedQueue,
  slots: Slots,
  windows: Windows,
  rank: Rank,
): Explanation {
  const position = rank.overall
  const full = queue.isOverflow(run) ? fullQueue(run) : undefined
  if (full) {
    const message = `Not in the queue: that of ${full.name} is full (limit ${full.limits.queued}); the run enters it when another one leaves.`
    const retryAfterMs = refreshMs(position)
    return { kind: 'waiting', reason: 'QueueLimit', message, position: undefined, retryAfterMs }
  }
  const obstacle = slots.obstacle(run.slot)
  if (!obstacle) return waiting('Queued', position, 'waiting for the runs ahead of it')
  return obstacle.kind === 'rate'
    ? rateLimited(obstacle.scope, rank, slots.window, windows)
    : atCapacity(obstacle, run, queue, position)
}

function atCapacity(
  { scope }: Obstacle,
  run: QueuedRun,
  queue: BoundedQueue,
  position: number,
): Explanation {
  const text = `${scope.name} is at its limit of ${counted(scope.limits.running, 'concurrent run')}`
  // Runs of other agents and repositories may be ahead in the queue, and do not wait for the same.
  if (isNarrow(scope)) {
    const narrow = queue.rankIn(scope, run)
    // As often as the position in the whole queue: there may be thousands of agents.
    const retryAfterMs = refreshMs(position)
    if (isWorkspace(scope)) {
      const text = `${scope.name} is in use by another run`
      return { ...waiting('WorkspaceInUse', narrow, text, ` for ${scope.name}`), retryAfterMs }
    }
    return { ...waiting('ConcurrencyLimit', narrow, text, ` of ${scope.name}`), retryAfterMs }
  }
  return waiting(position > 1 ? 'Queued' : 'ConcurrencyLimit', position, text)
}

function rateLimited(scope: Scope, rank: Rank, window: number, windows: Windows): Explanation {
  const { lengthMs, now } = windows
  const { started } = scope.limits
  const rankInScope = rankIn(scope, rank)
  const laterWindows = Math.floor((rankInScope - 1) / started)
  const eligibleAt = new Date((window + 1 + laterWindows) * lengthMs)
  const text = `${scope.name} is at its limit of ${counted(started, 'start')} per ${lengthMs / 1000} s; the run can start at ${rfc3339(eligibleAt)} at the earliest`
  return {
    ...waiting('RateLimited', rank.overall, text),
    eligibleAt,
    retryAfterMs: Math.max(eligibleAt.getTime() - now.getTime(), 0),
  }
}

function waiting(
  reason: Explanation['reason'],
  position: number,
  why: string,
  inWhat = '',
): Explanation & { readonly position: number } {
  const message = `Position ${position}${inWhat}: ${why}.`
  return { kind: 'waiting', reason, message, position, retryAfterMs: refreshMs(position) }
}

/**
 * Positions are updated less often the farther back they are: a queue of n runs causes about ln(n) reconciles per
 * second, however fast it moves.
 */
function refreshMs(position: number): number {
  return Math.min(Math.max(position * 1000, 15_000), 3_600_000)
}

function rankIn({ key }: Scope, { overall, inNamespace, inRepository }: Rank): number {
  if (key.startsWith('repository/')) return inRepository
  return key.startsWith('namespace/') ? inNamespace : overall
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

import { rfc3339 } from '@agents/status'
import type { Waiting } from './admission-answer.ts'
import type { Rank } from './line.ts'
import type { Obstacle, Places } from './places.ts'
import type { Scope } from './scope.ts'
import type { Waiter } from './waiter.ts'
import { queueBound, type WaitingRoom } from './waiting-room.ts'

export interface Windows {
  readonly lengthMs: number
  readonly now: Date
}

/** Why a run waits, in words that stay the same until something but the clock moves. */
export function explainWait(
  waiter: Waiter,
  room: WaitingRoom,
  places: Places,
  windows: Windows,
): Waiting {
  const rank = room.rank(waiter)
  const position = rank.overall
  const bound = room.isOutside(waiter) ? queueBound(waiter) : undefined
  if (bound) {
    const text = `${bound.name} lets ${runs(bound.bounds.queued)} wait, and so many do; this one joins them when one leaves`
    return waiting('QueueLimit', position, text)
  }
  const obstacle = places.obstacle(waiter.place)
  if (!obstacle) return waiting('Queued', position, 'others go first')
  return obstacle.kind === 'rate'
    ? rateLimited(obstacle.scope, rank, places.window, windows)
    : crowded(obstacle, position)
}

function crowded({ scope }: Obstacle, position: number): Waiting {
  const text = `${scope.name} has ${runs(scope.bounds.running)} at a time, and so many are on`
  return waiting(position > 1 && !isNarrow(scope) ? 'Queued' : 'ConcurrencyLimit', position, text)
}

function rateLimited(scope: Scope, rank: Rank, window: number, windows: Windows): Waiting {
  const { lengthMs, now } = windows
  const { started } = scope.bounds
  const rankInScope = rankIn(scope, rank)
  const laterWindows = Math.floor((rankInScope - 1) / started)
  const eligibleAt = new Date((window + 1 + laterWindows) * lengthMs)
  const text = `${scope.name} starts ${runs(started)} in ${lengthMs / 1000} s, and so many have; this one may start at ${rfc3339(eligibleAt)} at the earliest`
  return {
    ...waiting('RateLimited', rank.overall, text),
    eligibleAt,
    retryAfterMs: Math.max(eligibleAt.getTime() - now.getTime(), 0),
  }
}

function waiting(reason: Waiting['reason'], position: number, why: string): Waiting {
  const message = `Position ${position}: ${why}.`
  return { kind: 'waiting', reason, message, position, retryAfterMs: refreshMs(position) }
}

/**
 * Positions are looked at afresh the more rarely the longer the way is: with n runs in the queue about ln(n) looks a second,
 * however fast the queue moves.
 */
function refreshMs(position: number): number {
  return Math.min(Math.max(position * 1000, 15_000), 3_600_000)
}

/** One's own limit rather than the crowd's: it is told even to those who have others before them. */
function isNarrow({ key }: Scope): boolean {
  return key.startsWith('agent/') || key.startsWith('repository/')
}

function rankIn({ key }: Scope, { overall, inNamespace, inRepository }: Rank): number {
  if (key.startsWith('repository/')) return inRepository
  return key.startsWith('namespace/') ? inNamespace : overall
}

function runs(count: number): string {
  return count === 1 ? 'one run' : `${count} runs`
}

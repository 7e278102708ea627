/** Tokens are not asked for more often than this, whatever their answers say. */
const shortestMs = 30_000

/** When to replace a token: a tenth of its life before its end, but half a minute at least and five minutes at most. */
export function refreshTime(issuedAt: Date, expiresAt: Date): Date {
  const lifeMs = expiresAt.getTime() - issuedAt.getTime()
  const marginMs = Math.min(300_000, Math.max(30_000, lifeMs / 10))
  return new Date(Math.max(expiresAt.getTime() - marginMs, issuedAt.getTime() + shortestMs))
}

/** Minimum time between two token requests, whatever the expiry of the token. */
const shortestMs = 30_000

/**
 * When to renew a token: a tenth of its lifetime before it expires, limited to between half a minute and five minutes.
 */
export function refreshTime(issuedAt: Date, expiresAt: Date): Date {
  const lifeMs = expiresAt.getTime() - issuedAt.getTime()
  const marginMs = Math.min(300_000, Math.max(30_000, lifeMs / 10))
  return new Date(Math.max(expiresAt.getTime() - marginMs, issuedAt.getTime() + shortestMs))
}

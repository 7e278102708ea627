/** How long a response asks to wait, by `Retry-After` or by the reset time of a rate limit; undefined if not at all. */
export function waitTime(headers: Headers, now: Date): number | undefined {
  const after = headers.get('retry-after')
  if (after !== null) {
    const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now.getTime()
    if (!Number.isNaN(ms)) return bounded(ms)
  }
  if (headers.get('x-ratelimit-remaining') !== '0' && headers.get('ratelimit-remaining') !== '0') {
    return undefined
  }
  // Seconds since 1970 in both spellings: GitHub and Gitea, and GitLab.
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? ''
  if (!/^\d{1,12}$/.test(reset)) return undefined
  return bounded(Number(reset) * 1000 - now.getTime())
}

/**
 * How long Linear asks to wait when a limit is reached. It limits requests and the cost of queries, and sends when each
 * limit ends, in milliseconds since 1970. A query can cost more than is left: if no limit is used up, the last counts.
 */
export function linearWaitTime(headers: Headers, now: Date): number | undefined {
  const limits = ['requests', 'complexity', 'endpoint-requests'].map((kind) => ({
    isUsedUp: headers.get(`x-ratelimit-${kind}-remaining`) === '0',
    reset: headers.get(`x-ratelimit-${kind}-reset`) ?? '',
  }))
  const known = limits.filter(({ reset }) => /^\d{1,15}$/.test(reset))
  const decisive = known.some(({ isUsedUp }) => isUsedUp)
    ? known.filter(({ isUsedUp }) => isUsedUp)
    : known
  if (decisive.length === 0) return undefined
  return bounded(Math.max(...decisive.map(({ reset }) => Number(reset))) - now.getTime())
}

/** Whoever answers cannot make us stop for longer than this, nor ask without pause. */
const longestMs = 3_600_000
const shortestMs = 1000

function bounded(ms: number): number {
  return Math.min(longestMs, Math.max(shortestMs, ms))
}

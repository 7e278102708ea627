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

/** Whoever answers cannot make us stop for longer than this, nor ask without pause. */
const longestMs = 3_600_000
const shortestMs = 1000

function bounded(ms: number): number {
  return Math.min(longestMs, Math.max(shortestMs, ms))
}

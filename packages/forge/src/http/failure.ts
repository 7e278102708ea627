import { ForgeError, type ForgeProblem } from '../forge-error.ts'
import { linearWaitTime, waitTime } from './wait-time.ts'

/** The error for a response that is not a success. Its text is matched with known sentences only, and never shown. */
export function failure(status: number, headers: Headers, text: string, now: Date): ForgeError {
  // Linear has no status for it.
  const isLinearLimit = status === 400 && /"code"\s*:\s*"RATELIMITED"/.test(text)
  const retryAfterMs = (isLinearLimit ? linearWaitTime : waitTime)(headers, now)
  const isLimited =
    isLinearLimit || status === 429 || (status === 403 && retryAfterMs !== undefined)
  if (isLimited) {
    const message = `the API limits the rate of requests (HTTP ${status})`
    return new ForgeError('rate-limited', message, { status, retryAfterMs: retryAfterMs ?? 60_000 })
  }
  if (status >= 500 || status === 408) {
    const message = `the API responded with HTTP ${status}`
    return new ForgeError('unreachable', message, { status, retryAfterMs })
  }
  if (status >= 300 && status < 400) {
    const message = `the API redirects to another address (HTTP ${status}); use its real URL`
    return new ForgeError('invalid', message, { status })
  }
  const known = sentences.find(({ pattern }) => pattern.test(text))
  const problem = known?.problem ?? problems[status] ?? 'invalid'
  const why = known?.why ?? meanings[problem] ?? 'no reason is known'
  return new ForgeError(problem, `the API refused the request (HTTP ${status}): ${why}`, { status })
}

const problems: Readonly<Record<number, ForgeProblem>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  410: 'missing',
}

const meanings: Readonly<Partial<Record<ForgeProblem, string>>> = {
  unauthorized: 'the token is invalid or has expired',
  forbidden: 'the token lacks a permission, or the repository is archived',
  missing: 'it does not exist, or the token has no access to it',
  conflict: 'it exists already',
  invalid: 'a value is not accepted',
}

/** What the services say in words only. */
const sentences: readonly {
  readonly pattern: RegExp
  readonly problem: ForgeProblem
  readonly why: string
}[] = [
  {
    // Linear may say so with the status 400.
    pattern: /"code"\s*:\s*"AUTHENTICATION_ERROR"/,
    problem: 'unauthorized',
    why: 'the token is invalid or has expired',
  },
  {
    pattern: /pull request already exists/i,
    problem: 'conflict',
    why: 'there is an open pull request already',
  },
  {
    pattern: /cannot transition status/i,
    problem: 'conflict',
    why: 'the commit has this status already',
  },
  {
    pattern: /no commits between|no changes (between|to be pulled)/i,
    problem: 'invalid',
    why: 'the branch has no commits that the base branch does not have',
  },
  {
    pattern: /draft pull requests are not supported/i,
    problem: 'invalid',
    why: 'the service has no drafts for this repository; set pullRequest.draft to false',
  },
  {
    pattern: /"field":\s*"base"|base and head must be branches|target.branch/i,
    problem: 'invalid',
    why: 'the base is not a branch of the repository',
  },
]

/** For a request without a response. Codes of the system contain no address. */
export function unreachable(error: unknown): ForgeError {
  return new ForgeError('unreachable', `the API is not reachable (${codeOf(error)})`)
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error.name
}

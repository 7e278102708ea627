import type { Clock } from './clock.ts'
import { BAD_ANSWER, KubeError, NO_ANSWER, UNREACHABLE } from './kube-error.ts'

export interface RetryPolicy {
  /** After the first attempt. Default 10. */
  readonly retries: number
  /** Doubles with each retry, up to `maxDelayMs`; half of it is chance. */
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  /** A server that asks for a longer pause is not asked again. */
  readonly maxRetryAfterMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 10,
  baseDelayMs: 100,
  maxDelayMs: 10_000,
  maxRetryAfterMs: 60_000,
}

/**
 * - `idempotent`: sending it twice is sending it once, so a lost answer may be asked for again;
 * - `unsafe`: only what was certainly not acted upon is sent again.
 */
export type Repeatability = 'idempotent' | 'unsafe'

/** Runs `attempt` until it succeeds, fails for good, or the policy is used up. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeatability: Repeatability,
  policy: RetryPolicy,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt()
    } catch (error) {
      if (retry >= policy.retries || !(error instanceof KubeError)) throw error
      if (!mayRepeat(error, repeatability)) throw error
      const wait = delayBefore(retry, error, policy, clock)
      if (wait === undefined) throw error
      await clock.sleep(wait, signal)
    }
  }
}

function mayRepeat(error: KubeError, repeatability: Repeatability): boolean {
  if (error.code === 429) return true
  // The connection was refused, so nobody has heard of the request.
  if (error.reason === UNREACHABLE && neverSent(error.cause)) return true
  if (repeatability === 'unsafe') return false
  if (error.code === 503 || error.code === 504) return true
  if (error.code >= 500) return error.retryAfterMs !== undefined
  if (error.reason === UNREACHABLE) return !distrust.test(codeOf(error.cause))
  return error.reason === NO_ANSWER || error.reason === BAD_ANSWER
}

function neverSent(cause: unknown): boolean {
  return refusals.has(codeOf(cause))
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** A certificate that is wrong now is wrong in a second. */
const distrust = /CERT|TLS|SSL|SIGNATURE|ISSUER/
const refusals = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function delayBefore(
  retry: number,
  error: KubeError,
  policy: RetryPolicy,
  clock: Clock,
): number | undefined {
  const asked = error.retryAfterMs
  if (asked !== undefined && asked > policy.maxRetryAfterMs) return undefined
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retry)
  const own = ceiling * (0.5 + clock.random() / 2)
  // Never before the server's own time, and spread, so that the callers it turned away do not all return at once.
  return asked === undefined ? own : asked + own
}

import { sleep } from '../clock/clock.ts'
import type { Pacing } from '../clock/pacing.ts'
import { badAnswerReason, KubeError, noAnswerReason, unreachable } from './kube-error.ts'

export interface RetryPolicy {
  /** Retries after the first attempt. Default 10. */
  readonly retries: number
  /** Doubles with each retry, up to `maxDelayMs`; half of the delay is random. */
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  /** No retry if the server requests a longer delay. */
  readonly maxRetryAfterMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 10,
  baseDelayMs: 100,
  maxDelayMs: 10_000,
  maxRetryAfterMs: 60_000,
}

/**
 * - `idempotent`: sending it twice has the same effect as once, so it is retried if the response was lost;
 * - `unsafe`: it is retried only if it certainly had no effect.
 */
export type Repeatability = 'idempotent' | 'unsafe'

/** Runs `attempt` until it succeeds, fails permanently, or the retries are exhausted. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeatability: Repeatability,
  policy: RetryPolicy,
  { clock, random }: Pacing,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt()
    } catch (error) {
      if (retry >= policy.retries || !(error instanceof KubeError)) throw error
      if (!mayRepeat(error, repeatability)) throw error
      const wait = delayBefore(retry, error, policy, random)
      if (wait === undefined) throw error
      await sleep(clock, wait, signal)
      signal?.throwIfAborted()
    }
  }
}

function mayRepeat(error: KubeError, repeatability: Repeatability): boolean {
  if (error.code === 429) return true
  // The connection was refused, so the server never received the request.
  if (error.reason === unreachable && neverSent(error.cause)) return true
  if (repeatability === 'unsafe') return false
  if (error.code === 503 || error.code === 504) return true
  if (error.code >= 500) return error.retryAfterMs !== undefined
  if (error.reason === unreachable) return !distrust.test(codeOf(error.cause))
  return error.reason === noAnswerReason || error.reason === badAnswerReason
}

function neverSent(cause: unknown): boolean {
  return refusals.has(codeOf(cause))
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** An invalid certificate does not become valid by a retry. */
const distrust = /CERT|TLS|SSL|SIGNATURE|ISSUER/
const refusals = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function delayBefore(
  retry: number,
  error: KubeError,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  const requested = error.retryAfterMs
  if (requested !== undefined && requested > policy.maxRetryAfterMs) return undefined
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retry)
  const own = ceiling * (0.5 + random() / 2)
  // Not before the time that the server requested, and with jitter, so that clients do not all return at once.
  return requested === undefined ? own : requested + own
}

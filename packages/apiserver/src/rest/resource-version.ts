import { ApiError, quote, tooLargeResourceVersion } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'
import type { Store } from '../store/store.ts'

/**
 * Parses a resourceVersion; `undefined` if it is empty. Like upstream, throws a 500 without a reason if it is invalid.
 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined
  const problem = versionProblem(text)
  if (problem === undefined) return Number(text)
  const { field, message } = invalidValue('resourceVersion', text, problem)
  throw new ApiError(500, '', `${field}: ${message}`)
}

/** The message of Go's parser for a text that is not a valid uint64. */
export function versionProblem(text: string): string | undefined {
  const failed = `strconv.ParseUint: parsing ${quote(text)}`
  if (!/^\d+$/.test(text)) return `${failed}: invalid syntax`
  return BigInt(text) > maximum ? `${failed}: value out of range` : undefined
}

const maximum = 2n ** 64n - 1n

/** How long a read waits for a future revision before it is rejected. */
const freshnessTimeoutMs = 3000
const pollMs = 25

/** Resolves when the store has reached the revision. Throws a 504 after a timeout. */
export async function waitUntilFresh(
  store: Store,
  revision: number,
  timeoutMs = freshnessTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + Math.min(timeoutMs, freshnessTimeoutMs)
  while (store.revision < revision) {
    if (performance.now() >= deadline) throw tooLargeResourceVersion(revision, store.revision)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

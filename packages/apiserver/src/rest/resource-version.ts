import { ApiError, quote, tooLargeResourceVersion } from '../endpoints/api-error.ts'
import type { Store } from '../store/store.ts'
import { invalidValue } from './field-errors.ts'

/** `undefined` for the empty version. What is no version is an error of its own kind upstream: a 500 without a reason. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined
  const problem = versionProblem(text)
  if (problem === undefined) return Number(text)
  const { field, message } = invalidValue('resourceVersion', text, problem)
  throw new ApiError(500, '', `${field}: ${message}`)
}

/** What Go says about a text that is no unsigned number of 64 bits. */
export function versionProblem(text: string): string | undefined {
  const failed = `strconv.ParseUint: parsing ${quote(text)}`
  if (!/^\d+$/.test(text)) return `${failed}: invalid syntax`
  return BigInt(text) > maximum ? `${failed}: value out of range` : undefined
}

const maximum = 2n ** 64n - 1n

/** How long a read waits for a revision that has not come yet, before it is refused. */
const freshnessTimeoutMs = 3000
const pollMs = 25

/** Resolves when the store has reached the revision; a 504 when it does not in time. */
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

import { isForbidden, KubeError } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Finding } from './finding.ts'

/** What a check that threw found, for a caller of the API. The signal ends all checks. */
export function failureOf(signal: AbortSignal, log: Logger) {
  return (about: string) =>
    (error: unknown): Finding => {
      if (signal.aborted) {
        return { about, verdict: 'bad', says: 'the check was not finished in time' }
      }
      if (isForbidden(error)) {
        return { about, verdict: 'doubtful', says: `not checked: ${error.message}` }
      }
      // What the API server answered is for the caller; other errors are those of this process.
      if (error instanceof KubeError) return { about, verdict: 'bad', says: error.message }
      log.error('check failed', { about, error })
      return { about, verdict: 'doubtful', says: 'not checked: the check itself failed' }
    }
}

/** Keeps a pod from being removed before its outcome is counted in the status of its Job. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

/** Conditions of a Job. The first of each pair announces the outcome, the second says that all pods have ended. */
export type JobConditionType =
  | 'Suspended'
  | 'SuccessCriteriaMet'
  | 'Complete'
  | 'FailureTarget'
  | 'Failed'

/** Why a Job ends or is suspended. */
export interface Verdict {
  readonly reason: string
  readonly message: string
}

export const completionsReached: Verdict = {
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}

export const backoffLimitExceeded: Verdict = {
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
}

export const deadlineExceeded: Verdict = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
}

export const suspended: Verdict = { reason: 'JobSuspended', message: 'Job suspended' }
export const resumed: Verdict = { reason: 'JobResumed', message: 'Job resumed' }

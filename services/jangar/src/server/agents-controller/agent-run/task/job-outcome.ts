import type { Job } from '@agents/kube'

export type JobOutcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

/** Undefined while the Job is not over. */
export function jobOutcome({ status }: Job): JobOutcome | undefined {
  for (const { type, status: value, reason, message } of status?.conditions ?? []) {
    if (value !== 'True') continue
    if (type === 'Complete') return { kind: 'complete' }
    if (type === 'Failed') return { kind: 'failed', reason: reason ?? '', message: message ?? '' }
  }
  return undefined
}

/**
 * Whether its end is its own: what ends while it is being deleted was probably stopped. Within the same second nobody can tell.
 */
export function hasEndedByItself(job: Job): boolean {
  const { deletionTimestamp } = job.metadata
  if (deletionTimestamp === undefined) return jobOutcome(job) !== undefined
  return (job.status?.conditions ?? []).some(
    ({ type, status, lastTransitionTime: at }) =>
      (type === 'Complete' || type === 'Failed') &&
      status === 'True' &&
      at !== undefined &&
      Date.parse(at) < Date.parse(deletionTimestamp),
  )
}

export function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined
}

import type { Job } from '@agents/kube'

export type JobOutcome =
  | { readonly phase: 'Succeeded' }
  | { readonly phase: 'Failed'; readonly reason: string; readonly message: string }

/** Undefined while the Job has not finished. */
export function jobOutcome({ status }: Job): JobOutcome | undefined {
  for (const { type, status: value, reason, message } of status?.conditions ?? []) {
    if (value !== 'True') continue
    if (type === 'Complete') return { phase: 'Succeeded' }
    if (type === 'Failed') return { phase: 'Failed', reason: reason ?? '', message: message ?? '' }
  }
  return undefined
}

/**
 * Whether the Job finished before it was deleted. A Job that ends while it is being deleted was probably stopped;
 * timestamps of whole seconds leave the order within one second unknown.
 */
export function finishedByItself(job: Job): boolean {
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

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

export function isBeingDeleted({ metadata }: Job): boolean {
  return metadata.deletionTimestamp !== undefined
}

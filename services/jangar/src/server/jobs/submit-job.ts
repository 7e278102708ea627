import { isBadRequest, isForbidden, isInvalid, type Job } from '@agents/kube'
import { redact } from '@agents/log'
import type { Submission } from './advance-task.ts'

/**
 * Creates a Job and reports the outcome. A Job that the server calls invalid is refused permanently; a forbidden one is
 * tried later, since a quota may have room then. Other errors are thrown, for the work queue to retry.
 */
export async function submitJob(create: () => Promise<Job>): Promise<Submission> {
  try {
    return { kind: 'submitted', job: await create() }
  } catch (error) {
    const message = error instanceof Error ? redact(error.message) : ''
    if (isInvalid(error) || isBadRequest(error)) return { kind: 'refused', message }
    if (isForbidden(error)) return { kind: 'waiting', message, problem: 'SubmitFailed' }
    throw error
  }
}

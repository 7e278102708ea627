import { isBadRequest, isForbidden, isInvalid, type Job } from '@agents/kube'
import { redact } from '@agents/log'
import type { Submission } from './advance-task.ts'

/** What the server says no to for good is refused; a quota may have room later. Anything else is tried again as it is. */
export async function handOver(create: () => Promise<Job>): Promise<Submission> {
  try {
    return { kind: 'submitted', job: await create() }
  } catch (error) {
    const message = error instanceof Error ? redact(error.message) : ''
    if (isInvalid(error) || isBadRequest(error)) return { kind: 'refused', message }
    if (isForbidden(error)) return { kind: 'waiting', message, trouble: 'SubmitFailed' }
    throw error
  }
}

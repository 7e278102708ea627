import { rfc3339 } from '@agents/status'
import { pendingTask, type TaskState } from '../../../jobs/task-state.ts'
import type { StepStatus } from '../run-detail.ts'

const phases = ['Pending', 'Running', 'Retrying', 'Succeeded', 'Failed'] as const

export function stateOfStep(step: StepStatus | undefined): TaskState {
  const phase = phases.find((one) => one === step?.phase)
  if (!step || !phase) return pendingTask
  const { name, namespace, uid } = step.jobRef ?? {}
  return {
    phase,
    attempt: step.attempt ?? 0,
    ...(name && namespace && uid && { jobRef: { name, namespace, uid } }),
    ...(step.jobObservedAt && { submittedAt: step.jobObservedAt }),
    ...(step.startedAt && { startedAt: step.startedAt }),
    ...(step.finishedAt && { finishedAt: step.finishedAt }),
    ...(step.nextRetryAt && { nextRetryAt: step.nextRetryAt }),
    ...(step.message && { message: step.message }),
  }
}

/** `outputs`: reported by the step in this reconcile, for the steps after it. */
export function statusOfStep(
  name: string,
  state: TaskState,
  before: StepStatus | undefined,
  now: Date,
  outputs: Readonly<Record<string, string>> | undefined = before?.outputs,
): StepStatus {
  const { phase, attempt, jobRef, submittedAt, startedAt, finishedAt, nextRetryAt, message } = state
  const isSame = before?.phase === phase && before.lastTransitionTime !== undefined
  return {
    name,
    phase,
    ...(attempt > 0 && { attempt }),
    ...(startedAt && { startedAt }),
    ...(finishedAt && { finishedAt }),
    ...(submittedAt && { jobObservedAt: submittedAt }),
    lastTransitionTime: (isSame && before.lastTransitionTime) || rfc3339(now),
    ...(message && { message }),
    ...(nextRetryAt && phase === 'Retrying' && { nextRetryAt }),
    ...(jobRef && { jobRef: { ...jobRef } }),
    ...(outputs && { outputs: { ...outputs } }),
  }
}

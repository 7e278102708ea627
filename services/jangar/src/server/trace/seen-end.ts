import type { AgentRun } from '@agents/jangar-api'
import { isFinished } from '@agents/status'
import { runtimeRefOf } from '../../../jobs/runtime-ref.ts'

/** Whether a controller has observed the end of the Job and recorded it in the run's status. */
export function hasSeenEnd(run: AgentRun, jobName: string): boolean {
  const { conditions, workflow } = run.status ?? {}
  if (isFinished(conditions)) return true
  const ref = runtimeRefOf(run)
  const step = workflow?.steps?.find(({ jobRef }) => jobRef?.name === jobName)
  const phase = step ? step.phase : ref?.name === jobName ? ref.task?.phase : undefined
  return phase !== 'Running'
}

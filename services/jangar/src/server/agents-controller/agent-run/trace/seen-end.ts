import type { AgentRun } from '@agents/jangar-api'
import { isFinished } from '@agents/status'
import { runtimeRefOf } from '../runtime/runtime-ref.ts'

/** Whether a controller has seen the Job of this name end: the run's status then says so. */
export function hasSeenEnd(run: AgentRun, jobName: string): boolean {
  const { conditions, workflow } = run.status ?? {}
  if (isFinished(conditions)) return true
  const ref = runtimeRefOf(run)
  const step = workflow?.steps?.find(({ jobRef }) => jobRef?.name === jobName)
  const phase = step ? step.phase : ref?.name === jobName ? ref.task?.phase : undefined
  return phase !== 'Running'
}

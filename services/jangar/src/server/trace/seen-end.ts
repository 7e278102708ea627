import { isFinished } from '@agents/status'
import { type RunWithRef, runtimeRefOf } from '../jobs/runtime-ref.ts'
import type { TracedRun } from './traced-kind.ts'

interface WorkflowStep {
  readonly phase?: string | undefined
  readonly jobRef?: { readonly name?: string | undefined } | undefined
}

/** A run that Jobs execute: one, or one for each step of a workflow. */
export interface RunWithJobs extends TracedRun {
  readonly status?: TracedRun['status'] &
    RunWithRef['status'] & {
      readonly workflow?: { readonly steps?: readonly WorkflowStep[] } | undefined
    }
}

/** Whether a controller has observed the end of the Job and recorded it in the run's status. */
export function hasSeenEnd(run: RunWithJobs, jobName: string): boolean {
  const { conditions, workflow } = run.status ?? {}
  if (isFinished(conditions)) return true
  const ref = runtimeRefOf(run)
  const step = workflow?.steps?.find(({ jobRef }) => jobRef?.name === jobName)
  const phase = step ? step.phase : ref?.name === jobName ? ref.task?.phase : undefined
  return phase !== 'Running'
}

import type { Tool, ToolRun } from '@agents/jangar-api'
import { limitsOf } from '../../jobs/runtime-ref.ts'
import { defaultStartTimeoutSeconds } from '../../jobs/task-state.ts'
import { specOf, type ToolWork } from './tool-resolution.ts'

/** The run takes precedence over its tool. */
export function settingsOf(run: ToolRun, { spec }: Tool): Pick<ToolWork, 'decided' | 'limits'> {
  const own = specOf(run)
  const { ttlSecondsAfterFinished: jobTtlSeconds } = spec
  const limits = limitsOf(
    {
      retries: own.retries ?? spec.retries ?? 0,
      retryBackoffSeconds: own.retryBackoffSeconds ?? spec.retryBackoffSeconds ?? 0,
      startTimeoutSeconds: spec.startTimeoutSeconds ?? defaultStartTimeoutSeconds,
    },
    // Attempts have no time limit of their own: that of the run covers them.
    0,
  )
  const runTimeoutSeconds = own.timeoutSeconds ?? spec.timeoutSeconds ?? 0
  return {
    decided: { runTimeoutSeconds, ...(jobTtlSeconds !== undefined && { jobTtlSeconds }) },
    limits,
  }
}

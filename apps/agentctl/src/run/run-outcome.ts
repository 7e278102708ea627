import { agentRunPhase } from '@agents/jangar-api'
import type { Condition } from '@agents/kube'
import { isFinished } from '@agents/status'
import { exitCode } from '../cli/exit-code.ts'
import type { ShownRun } from './run-kind.ts'

export interface RunOutcome {
  readonly phase: string
  readonly code: number
  /** The reason of the outcome. */
  readonly message: string
}

/** The outcome of a run; undefined while it has not ended. */
export function outcomeOf(run: ShownRun): RunOutcome | undefined {
  const conditions = run.status?.conditions ?? []
  if (!isFinished(conditions)) return undefined
  const succeeded = conditionOf(run, 'Succeeded')
  if (succeeded?.status === 'True') {
    return { phase: 'Succeeded', code: exitCode.done, message: succeeded.message }
  }
  const isCancelled = succeeded?.reason === 'Cancelled'
  return {
    phase: isCancelled ? 'Cancelled' : 'Failed',
    code: isCancelled ? exitCode.cancelled : exitCode.failed,
    message: [succeeded?.reason, succeeded?.message].filter(Boolean).join(': '),
  }
}

function conditionOf(run: ShownRun, type: string): Condition | undefined {
  return run.status?.conditions?.find((condition) => condition.type === type)
}

/** What a run is doing, as one line that changes only with it. */
export function progressOf(run: ShownRun): string {
  const ended = outcomeOf(run)
  if (ended !== undefined) return ended.phase
  const summary = conditionOf(run, 'Succeeded')
  if (summary === undefined) return 'Pending: no controller has processed it yet'
  const { phase = agentRunPhase(run.status?.conditions ?? []) } = run.status ?? {}
  const step = currentStep(run)
  const what = phase === 'Running' && step !== undefined ? step : summary.message || summary.reason
  return `${phase}: ${what}`
}

function currentStep({ status }: ShownRun): string | undefined {
  const steps = status?.workflow?.steps ?? []
  const index = steps.findIndex(({ phase }) => phase === 'Running' || phase === 'Retrying')
  const step = steps[index]
  if (step === undefined) return undefined
  const attempt = step.attempt !== undefined && step.attempt > 1 ? `, attempt ${step.attempt}` : ''
  return `step ${step.name ?? ''} (${index + 1} of ${steps.length})${attempt}`
}

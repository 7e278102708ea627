import {
  cancelled,
  failed,
  type RunGateVerdict,
  succeeded,
  type Wait,
  wait,
} from '@agents/controller'
import type { Json } from '@agents/crd'
import { stopMessage } from '../../kubernetes/budget-stop.ts'
import { largestOutputs, sizeOf } from '../definition/sizes.ts'
import { renderTemplates } from '../expressions/templates.ts'
import { outcomeWord } from '../plan/outcome.ts'
import type { PlanOutcome } from '../plan/plan-states.ts'
import type { Advanced } from './advance-run.ts'
import type { OrchestrationRunDetail } from './run-detail.ts'

type Failure =
  | 'StepFailed'
  | 'StepTimedOut'
  | 'RetriesExhausted'
  | 'TimedOut'
  | 'TemplateInvalid'
  | 'ExpressionInvalid'
  | 'LoopLimit'
  | 'OutputsTooLarge'
  | 'ChildRejected'
  | 'ChildConflict'
  | 'ChildMissing'
  | 'BudgetExceeded'
type Progress = 'Running' | 'WaitingForApproval' | 'WaitingForSignal' | 'Retrying' | 'Cancelling'
type Ended = Exclude<
  RunGateVerdict<Failure, OrchestrationRunDetail>,
  { readonly kind: 'pass' | 'wait' | 'stall' }
>

/**
 * How long a status is held that only records what can be found out again. It is likely to change soon, since the
 * children of many steps end one after the other, and the next step does not start while it is written, which takes
 * longer the more steps there are.
 */
function holdForMs(steps: number): number {
  return Math.max(500, steps * 8)
}
/** By then the cache has what the server has. */
export const staleMs = 100
/** Children that were told to stop are looked at again, in case an event is missed. */
const slowCheckMs = 60_000

/** The state of the work of a run, or its outcome. */
export function verdictOf(
  advanced: Advanced,
  now: Date,
): Wait<Progress, OrchestrationRunDetail> | Ended {
  const { plan, stepStatuses } = advanced
  const detail: Partial<OrchestrationRunDetail> = { stepStatuses: [...stepStatuses] }
  if (advanced.isStale) return wait('Running', 'the run has changed', staleMs)
  const ended = endOf(advanced)
  if (ended !== undefined) return ended
  const { reason, message } = progressOf(advanced)
  const dueMs = plan.wakeAt === undefined ? slowCheckMs : Math.max(0, plan.wakeAt - now.getTime())
  // The begin of a wait cannot be found out again.
  const mayHold = !plan.steps.some(({ phase, units }) => {
    return phase !== 'Pending' && units.some((unit) => unit.phase === 'Running' && !unit.child)
  })
  return wait(reason, message, Math.min(dueMs, slowCheckMs), {
    detail,
    ...(mayHold && { holdForMs: holdForMs(plan.steps.length) }),
  })
}

function progressOf({ plan }: Advanced): { readonly reason: Progress; readonly message: string } {
  const running = plan.steps.filter(({ phase }) => phase === 'Running')
  const ended = plan.steps.filter(({ finishedAt }) => finishedAt !== undefined).length
  const message = `${ended} of ${plan.steps.length} steps have ended`
  if (running.some(({ reason }) => reason === 'Cancelling'))
    return { reason: 'Cancelling', message }
  const waiting = running.filter(
    ({ reason }) => reason === 'WaitingForSignal' || reason === 'WaitingForApproval',
  )
  const [first] = waiting
  if (first !== undefined && waiting.length === running.length) {
    const names = waiting.map(({ name }) => name).join(', ')
    return { reason: first.reason as Progress, message: `${message}; waiting: ${names}` }
  }
  const isRetrying = running.length === 0 && plan.steps.some(({ phase }) => phase === 'Retrying')
  return { reason: isRetrying ? 'Retrying' : 'Running', message }
}

const failures: ReadonlySet<string> = new Set([
  'StepTimedOut',
  'RetriesExhausted',
  'TimedOut',
  'TemplateInvalid',
  'ExpressionInvalid',
  'LoopLimit',
  'OutputsTooLarge',
  'ChildRejected',
  'ChildConflict',
  'ChildMissing',
])

/** The outcome of a run that has ended. */
export function endOf(advanced: Advanced): Ended | undefined {
  const { outcome } = advanced.plan
  if (outcome === undefined || advanced.isStale) return undefined
  const detail: Partial<OrchestrationRunDetail> = { stepStatuses: [...advanced.stepStatuses] }
  const { kind, reason = '', message } = outcome
  if (advanced.stoppedBy !== undefined && kind !== 'succeeded') {
    return failed('BudgetExceeded', stopMessage(advanced.stoppedBy), { detail })
  }
  if (kind === 'cancelled') return cancelled(message, { detail })
  const outputs = outputsOf(advanced, outcome)
  if (kind === 'failed') {
    const known = failures.has(reason) ? (reason as Failure) : 'StepFailed'
    const kept = 'problem' in outputs ? {} : { outputs: outputs.values }
    return failed(known, message, { detail: { ...detail, ...kept } })
  }
  if ('problem' in outputs) return failed(outputs.reason, outputs.problem, { detail })
  return succeeded(message, { detail: { ...detail, outputs: outputs.values } })
}

type RunOutputs =
  | { readonly values: OrchestrationRunDetail['outputs'] }
  | { readonly reason: 'TemplateInvalid' | 'OutputsTooLarge'; readonly problem: string }

function outputsOf({ graph, scopeOf }: Advanced, outcome: PlanOutcome): RunOutputs {
  if (Object.keys(graph.outputs).length === 0) return { values: undefined }
  const rendered = renderTemplates(graph.outputs as Json, scopeOf(outcomeWord(outcome)))
  if (!rendered.ok) {
    const { path, message } = rendered.problem
    return { reason: 'TemplateInvalid', problem: `spec.outputs.${path}: ${message}` }
  }
  if (sizeOf(rendered.value) <= largestOutputs)
    return { values: rendered.value as Record<string, string> }
  return {
    reason: 'OutputsTooLarge',
    problem: `the outputs of the run are larger than ${largestOutputs / 1024} KiB`,
  }
}

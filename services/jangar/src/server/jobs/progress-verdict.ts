import { cancelled, failed, pass, type RunGateVerdict, succeeded, wait } from '@agents/controller'
import { holdWhenBusyMs } from '../kubernetes/status-hold.ts'
import type { StartProblem } from './pod-state.ts'
import type { RunProgress } from './run-progress.ts'

type StartedReason<Failure extends string> =
  | 'Started'
  | 'Cancelling'
  | StartProblem['reason']
  | Exclude<Failure, 'Failed'>

/** The verdict of the Started gate. `isUrgent`: the status is written at once even if it is likely to change soon. */
export function startedVerdict<Detail extends object, Failure extends string>(
  progress: RunProgress<Detail, Failure>,
  { isUrgent = false }: { readonly isUrgent?: boolean } = {},
): RunGateVerdict<StartedReason<Failure>, Detail> {
  const { phase, message, detail, failure, problem, requeueAfterMs } = progress
  if (progress.started || phase === 'Succeeded') return pass('Started', containerStarted)
  if (phase === 'Failed') return failed(startFailure(failure), message, { detail })
  if (phase === 'Cancelled') return cancelled(message, { detail })
  if (phase === 'Cancelling') return wait('Cancelling', message, requeueAfterMs, { detail })
  const { reason, message: why } = problem ?? { reason: 'Submitting', message }
  const isBrief = reason === 'Submitting' && !isUrgent
  const hold = isBrief ? { holdForMs, holdWhenBusyMs } : {}
  return wait(reason, why, requeueAfterMs, { detail, ...hold })
}

export const containerStarted = 'the container of the run started'

/**
 * Most runs have started by then, and many have finished, which is reported instead. One status write less for each run
 * matters on a busy API server.
 */
const holdForMs = 3000

/** Work that failed without a reason of its own never got a Job. */
function startFailure<Failure extends string>(
  failure: Failure | undefined,
): Exclude<Failure, 'Failed'> | 'SubmitFailed' {
  if (failure === undefined || failure === 'Failed') return 'SubmitFailed'
  return failure as Exclude<Failure, 'Failed'>
}

/** The verdict on the work of a run that has started. `isUrgent`: as for the Started gate. */
export function workVerdict<Detail extends object, Failure extends string>(
  { phase, message, detail, failure, requeueAfterMs }: RunProgress<Detail, Failure>,
  { isUrgent = false }: { readonly isUrgent?: boolean } = {},
): RunGateVerdict<Failure | 'Failed' | 'Running' | 'Retrying' | 'Cancelling', Detail> {
  if (phase === 'Succeeded') return succeeded(message, { detail })
  if (phase === 'Failed') return failed(failure ?? 'Failed', message, { detail })
  if (phase === 'Cancelled') return cancelled(message, { detail })
  const isBrief = phase === 'Running' && !isUrgent
  return wait(phase, message, requeueAfterMs, { detail, ...(isBrief && { holdWhenBusyMs }) })
}

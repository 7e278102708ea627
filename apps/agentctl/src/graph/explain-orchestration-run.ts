import { type OrchestrationRun, orchestrationRunConditions } from '@agents/jangar-api'
import type { ClusterEvent } from '@agents/kube'
import { isFinished } from '@agents/status'
import { type DecisionTrace, decisionTrace, type TracedStep } from '../explain/decision-trace.ts'
import type { ShownRun } from '../run/run-kind.ts'

/** Why a run waits, runs or has failed. */
export function explainOrchestrationRun(
  run: OrchestrationRun,
  events: readonly ClusterEvent[],
  now: Date,
): DecisionTrace {
  const of = { conditions: orchestrationRunConditions, nextSteps: () => nextOfRun(run) }
  const trace = decisionTrace(run as unknown as ShownRun, events, now, { of })
  return { ...trace, steps: tracedSteps(run) }
}

export function tracedSteps({ status }: OrchestrationRun): TracedStep[] {
  return (status?.stepStatuses ?? []).map((step) => ({
    name: step.name,
    phase: step.phase ?? 'Pending',
    attempt: Number(step.attempt ?? 0),
    message: [step.reason, step.message].filter(Boolean).join(': '),
    startedAt: step.startedAt,
    finishedAt: step.finishedAt,
  }))
}

/** What happens to the run next, and what the user can do. */
export function nextOfRun({ metadata, spec, status }: OrchestrationRun): string[] {
  const { name } = metadata
  const { conditions = [], stepStatuses = [] } = status ?? {}
  if (isFinished(conditions)) {
    const hasSucceeded = conditions.some((one) => one.type === 'Succeeded' && one.status === 'True')
    return [
      'Nothing: the run has ended and its outcome is final.',
      ...(hasSucceeded ? [] : [`To continue where it ended: agentctl rerun ${name}`]),
    ]
  }
  if (conditions.length === 0) {
    return [
      'No controller has processed it yet. If this takes longer than a few seconds: agentctl doctor',
    ]
  }
  if (metadata.deletionTimestamp !== undefined) {
    return ['It is being deleted: its steps are stopped first.']
  }
  if (spec?.cancel) return ['It is being cancelled: it ends when its steps have stopped.']
  const cancel = `To cancel it: agentctl cancel orchestrationrun/${name}`
  const open = orchestrationRunConditions.gates
    .map(({ type }) => conditions.find((one) => one.type === type))
    .find((one) => one !== undefined && one.status !== 'True')
  if (open !== undefined) return [`It waits: ${open.message || open.reason}`, cancel]
  const active = stepStatuses.filter(({ phase }) => phase === 'Running' || phase === 'Retrying')
  return [
    ...active.map(({ name: step, phase, message, resourceRef }) => {
      const { kind, name: child } = resourceRef ?? {}
      const about =
        kind !== undefined && child !== undefined
          ? `agentctl explain ${kind.toLowerCase()} ${child}`
          : (message ?? '')
      return `Step ${step} ${phase === 'Running' ? 'runs' : 'is retried'}: ${about}`
    }),
    `To see all steps: agentctl graph orchestrationrun ${name}`,
    cancel,
  ]
}

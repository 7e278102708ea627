import type { Condition } from '@agents/kube'
import type { GateDeclaration, ReasonsByGate } from './condition-declaration.ts'
import {
  type ContractStatus,
  checkedGate,
  type FoldedStatus,
  isOutcome,
  observedGeneration,
  requireOrder,
  requireReason,
  uncheckedGate,
} from './fold-gate.ts'
import { isFinished } from './is-finished.ts'
import {
  type ConditionUpdate,
  indexByType,
  nextCondition,
  type Observation,
} from './next-condition.ts'
import type { RunConditions } from './run-conditions.ts'
import type { Outcome, RunVerdict } from './verdict.ts'

/**
 * Folds the verdicts of a run's gates, followed by the state of its work, into its conditions. The first gate that
 * returns an outcome ends the run. The conditions of a finished run do not change; only `observedGeneration` still
 * advances.
 */
export function foldRunVerdicts<R extends ReasonsByGate, P extends string, F extends string>(
  set: RunConditions<R, P, F>,
  verdicts: readonly RunVerdict<R[keyof R] | P | F | 'Running' | 'Failed'>[],
  previous: ContractStatus | undefined,
  at: Observation,
): FoldedStatus {
  const before = previous?.conditions ?? []
  if (isFinished(before)) return withGeneration(before, at)
  requireOrder(verdicts, set.gates.length + 1)
  const byType = indexByType(before)
  const gates = foldGates(set.gates, verdicts, byType)
  const last = verdicts.at(-1)
  const updates = isOutcome(last)
    ? [...ended(set, verdicts.length, last), ...gates]
    : [...unfinished(set, verdicts, gates), ...gates]
  return {
    observedGeneration: observedGeneration(set.gates, verdicts, previous, at.generation),
    conditions: updates.map((update) => nextCondition(byType.get(update.type), update, at)),
  }
}

function withGeneration(
  conditions: readonly Condition[],
  { generation }: Observation,
): FoldedStatus {
  return {
    observedGeneration: generation,
    conditions: [...indexByType(conditions).values()].map((condition) => ({
      ...condition,
      observedGeneration: generation,
    })),
  }
}

/**
 * Folds the gates. A gate keeps its previous condition in two cases. When the run ends, gates that were not checked in
 * that reconcile keep theirs. Once the run has started, all gates do: a dependency that was deleted or cannot be read
 * does not undo the start.
 */
function foldGates(
  gates: readonly GateDeclaration[],
  verdicts: readonly RunVerdict[],
  before: ReadonlyMap<string, Condition>,
): ConditionUpdate[] {
  const started = gates.every(({ type }) => before.get(type)?.status === 'True')
  const last = verdicts.at(-1)
  const over = isOutcome(last)
  const blocker = last && last.kind !== 'pass' ? gates[verdicts.length - 1] : undefined
  return gates.map((gate, index) => {
    const { type } = gate
    const verdict = verdicts[index]
    if (verdict?.kind === 'pass') return checkedGate(gate, verdict)
    if (verdict?.kind === 'failed' && Object.hasOwn(gate.reasons, verdict.reason)) {
      return { type, status: 'False', reason: verdict.reason, message: verdict.message }
    }
    const known = before.get(type)
    if (known && (over || started)) return known
    if (over) return { type, status: 'Unknown', reason: 'Blocked', message: endedFirst }
    return verdict && !isOutcome(verdict)
      ? checkedGate(gate, verdict)
      : uncheckedGate(gate, blocker)
  })
}

const endedFirst = 'the run finished before this gate was checked'

function ended(set: RunConditions, checked: number, outcome: Outcome): ConditionUpdate[] {
  const { message } = outcome
  if (outcome.kind === 'succeeded') {
    const { reason = 'Succeeded' } = outcome
    requireReason({ type: 'Finished', reasons: set.successes }, reason)
    const summary = { status: 'True', reason, message } as const
    return [
      { type: 'Succeeded', ...summary },
      { type: 'Finished', ...summary },
      { type: 'Ready', ...summary },
    ]
  }
  const reason = outcome.kind === 'cancelled' ? 'Cancelled' : outcome.reason
  const byWork = outcome.kind === 'cancelled' || Object.hasOwn(set.failures, reason)
  if (!byWork) requireReason(set.gates[checked - 1] ?? { type: 'Finished', reasons: {} }, reason)
  const summary = { status: 'False', reason, message } as const
  return [
    { type: 'Succeeded', ...summary },
    { type: 'Finished', status: 'True', reason: byWork ? reason : 'Failed', message },
    { type: 'Ready', ...summary },
    { type: 'Stalled', status: 'True', reason, message },
  ]
}

function unfinished(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
  gates: readonly ConditionUpdate[],
): ConditionUpdate[] {
  const work = finishedCondition(set, verdicts, gates)
  const open = gates.find(({ status }) => status !== 'True')
  const { reason, message } = notPassing(set, verdicts) ?? open ?? work
  const summary = { status: 'Unknown', reason, message } as const
  return [
    { type: 'Succeeded', ...summary },
    work,
    { type: 'Ready', ...summary },
    { type: 'Reconciling', status: 'True', reason, message },
  ]
}

/** The `Finished` condition while no outcome is known. */
function finishedCondition(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
  gates: readonly ConditionUpdate[],
): ConditionUpdate {
  const type = 'Finished'
  const verdict = verdicts[set.gates.length]
  if (verdict?.kind === 'pass') {
    throw new TypeError('the verdict after the last gate must wait or end the run, not pass')
  }
  if (verdict && !isOutcome(verdict)) return checkedGate({ type, reasons: set.progress }, verdict)
  return gates.every(({ status }) => status === 'True')
    ? { type, status: 'False', reason: 'Running', message: 'the work is in progress' }
    : { type, status: 'False', reason: 'Pending', message: 'the work has not started' }
}

/** The condition of the gate that does not pass now. A started run continues, but its summary reports this gate. */
function notPassing(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
): ConditionUpdate | undefined {
  const last = verdicts.at(-1)
  const gate = set.gates[verdicts.length - 1]
  if (!gate || !last || last.kind === 'pass' || isOutcome(last)) return undefined
  return checkedGate(gate, last)
}

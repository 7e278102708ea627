import type { Condition } from '@agents/kube'
import type { GateDeclaration, ReasonsByGate } from './condition-declaration.ts'
import {
  askedGate,
  type ContractStatus,
  type FoldedStatus,
  isOutcome,
  observedGeneration,
  requireOrder,
  requireReason,
  unaskedGate,
} from './fold-gate.ts'
import { isFinished } from './is-finished.ts'
import type { RunConditions } from './run-conditions.ts'
import { type ConditionUpdate, follow, indexByType, type Observation } from './set-condition.ts'
import type { Outcome, RunVerdict } from './verdict.ts'

/**
 * Folds what the gates of a run found, and after them what is known of its work, into its conditions. Whichever gate finds
 * an outcome ends the run. A run that has ended stays as it ended: only the generation it was looked at for still follows.
 */
export function foldRunVerdicts<R extends ReasonsByGate, P extends string, F extends string>(
  set: RunConditions<R, P, F>,
  verdicts: readonly RunVerdict<R[keyof R] | P | F | 'Running' | 'Failed'>[],
  previous: ContractStatus | undefined,
  at: Observation,
): FoldedStatus {
  const before = previous?.conditions ?? []
  if (isFinished(before)) return absorbed(before, at)
  requireOrder(verdicts, set.gates.length + 1)
  const byType = indexByType(before)
  const gates = foldGates(set.gates, verdicts, byType)
  const last = verdicts.at(-1)
  const updates = isOutcome(last)
    ? [...ended(set, verdicts.length, last), ...gates]
    : [...unfinished(set, verdicts, gates), ...gates]
  return {
    observedGeneration: observedGeneration(set.gates, verdicts, previous, at.generation),
    conditions: updates.map((update) => follow(byType.get(update.type), update, at)),
  }
}

function absorbed(conditions: readonly Condition[], { generation }: Observation): FoldedStatus {
  return {
    observedGeneration: generation,
    conditions: [...indexByType(conditions).values()].map((condition) => ({
      ...condition,
      observedGeneration: generation,
    })),
  }
}

/**
 * Two things keep what a gate said before: the run's end, for gates whose turn did not come in that pass; and the run's
 * start, for all of them: once every gate has passed, a dependency that is gone or cannot be asked does not un-start it.
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
    if (verdict?.kind === 'pass') return askedGate(gate, verdict)
    if (verdict?.kind === 'failed' && Object.hasOwn(gate.reasons, verdict.reason)) {
      return { type, status: 'False', reason: verdict.reason, message: verdict.message }
    }
    const known = before.get(type)
    if (known && (over || started)) return known
    if (over) return { type, status: 'Unknown', reason: 'Blocked', message: endedFirst }
    return verdict && !isOutcome(verdict) ? askedGate(gate, verdict) : unaskedGate(gate, blocker)
  })
}

const endedFirst = 'the run ended before this was asked'

function ended(set: RunConditions, asked: number, outcome: Outcome): ConditionUpdate[] {
  const { message } = outcome
  if (outcome.kind === 'succeeded') {
    const said = { status: 'True', reason: 'Succeeded', message } as const
    return [
      { type: 'Succeeded', ...said },
      { type: 'Finished', ...said },
      { type: 'Ready', ...said },
    ]
  }
  const reason = outcome.kind === 'cancelled' ? 'Cancelled' : outcome.reason
  const byWork = outcome.kind === 'cancelled' || Object.hasOwn(set.failures, reason)
  if (!byWork) requireReason(set.gates[asked - 1] ?? { type: 'Finished', reasons: {} }, reason)
  const said = { status: 'False', reason, message } as const
  return [
    { type: 'Succeeded', ...said },
    { type: 'Finished', status: 'True', reason: byWork ? reason : 'Failed', message },
    { type: 'Ready', ...said },
    { type: 'Stalled', status: 'True', reason, message },
  ]
}

function unfinished(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
  gates: readonly ConditionUpdate[],
): ConditionUpdate[] {
  const work = aboutWork(set, verdicts, gates)
  const open = gates.find(({ status }) => status !== 'True')
  const { reason, message } = notPassing(set, verdicts) ?? open ?? work
  const said = { status: 'Unknown', reason, message } as const
  return [
    { type: 'Succeeded', ...said },
    work,
    { type: 'Ready', ...said },
    { type: 'Reconciling', status: 'True', reason, message },
  ]
}

/** What `Finished` says while no outcome is known. */
function aboutWork(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
  gates: readonly ConditionUpdate[],
): ConditionUpdate {
  const type = 'Finished'
  const verdict = verdicts[set.gates.length]
  if (verdict?.kind === 'pass') {
    throw new TypeError('after the last gate a run waits or ends; there is nothing left to pass')
  }
  if (verdict && !isOutcome(verdict)) return askedGate({ type, reasons: set.progress }, verdict)
  return gates.every(({ status }) => status === 'True')
    ? { type, status: 'False', reason: 'Running', message: 'its work is going on' }
    : { type, status: 'False', reason: 'Pending', message: 'its work has not started' }
}

/** The gate that does not pass now. A run that has started goes on all the same, and says what is the matter. */
function notPassing(
  set: RunConditions,
  verdicts: readonly RunVerdict[],
): ConditionUpdate | undefined {
  const last = verdicts.at(-1)
  const gate = set.gates[verdicts.length - 1]
  if (!gate || !last || last.kind === 'pass' || isOutcome(last)) return undefined
  return askedGate(gate, last)
}

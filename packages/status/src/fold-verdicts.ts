import type { GateDeclaration, ReasonsByGate } from './condition-declaration.ts'
import {
  type ContractStatus,
  checkedGate,
  type FoldedStatus,
  observedGeneration,
  requireOrder,
  uncheckedGate,
} from './fold-gate.ts'
import type { LivingConditions } from './living-conditions.ts'
import {
  type ConditionUpdate,
  indexByType,
  nextCondition,
  type Observation,
} from './next-condition.ts'
import type { Verdict } from './verdict.ts'

/**
 * Folds the verdicts of the gates of a living kind into its conditions, in their declared order. `verdicts` has those
 * of the first gates, up to and including the first that did not pass. Undeclared conditions are dropped.
 */
export function foldVerdicts<R extends ReasonsByGate>(
  set: LivingConditions<R>,
  verdicts: readonly Verdict<R[keyof R]>[],
  previous: ContractStatus | undefined,
  at: Observation,
): FoldedStatus {
  const gates: readonly GateDeclaration[] = set.gates
  requireOrder(verdicts, gates.length)
  const last = verdicts.at(-1)
  const blocker = last && last.kind !== 'pass' ? gates[verdicts.length - 1] : undefined
  const answers = gates.map((gate, index) => {
    const verdict = verdicts[index]
    return verdict ? checkedGate(gate, verdict) : uncheckedGate(gate, blocker)
  })
  const open = answers.findIndex(({ status }) => status !== 'True')
  const updates = [
    ready(gates[open], answers[open]),
    ...companion(answers[open], last?.kind === 'stall'),
    ...answers,
  ]
  const before = indexByType(previous?.conditions ?? [])
  return {
    observedGeneration: observedGeneration(gates, verdicts, previous, at.generation),
    conditions: updates.map((update) => nextCondition(before.get(update.type), update, at)),
  }
}

/** The `Ready` condition. It is False, never Unknown, if a gate could not be checked: clients rely on True only. */
function ready(
  gate: GateDeclaration | undefined,
  answer: ConditionUpdate | undefined,
): ConditionUpdate {
  const type = 'Ready'
  if (!answer) return { type, status: 'True', reason: 'OK', message: 'all gates are True' }
  const { status, reason, message } = answer
  const summary = status === 'False' ? (gate?.notReady ?? reason) : reason
  return { type, status: 'False', reason: summary, message }
}

function companion(answer: ConditionUpdate | undefined, stalled: boolean): ConditionUpdate[] {
  if (!answer) return []
  return [{ ...answer, type: stalled ? 'Stalled' : 'Reconciling', status: 'True' }]
}

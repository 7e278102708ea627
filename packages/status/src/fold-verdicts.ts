import type { GateDeclaration, ReasonsByGate } from './condition-declaration.ts'
import {
  askedGate,
  type ContractStatus,
  type FoldedStatus,
  observedGeneration,
  requireOrder,
  unaskedGate,
} from './fold-gate.ts'
import type { LivingConditions } from './living-conditions.ts'
import { type ConditionUpdate, follow, indexByType, type Observation } from './set-condition.ts'
import type { Verdict } from './verdict.ts'

/**
 * Folds what the gates of a living kind found into its conditions, in their fixed order. `verdicts` are those of the first
 * gates, up to and including the first that did not pass. Conditions that the kind does not declare are dropped.
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
    return verdict ? askedGate(gate, verdict) : unaskedGate(gate, blocker)
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
    conditions: updates.map((update) => follow(before.get(update.type), update, at)),
  }
}

/** Ready is a promise: what is not known to be so is not promised, whether a gate said no or could not be asked. */
function ready(
  gate: GateDeclaration | undefined,
  answer: ConditionUpdate | undefined,
): ConditionUpdate {
  const type = 'Ready'
  if (!answer) return { type, status: 'True', reason: 'OK', message: 'every gate is True' }
  const { status, reason, message } = answer
  const summary = status === 'False' ? (gate?.notReady ?? reason) : reason
  return { type, status: 'False', reason: summary, message }
}

function companion(answer: ConditionUpdate | undefined, stalled: boolean): ConditionUpdate[] {
  if (!answer) return []
  return [{ ...answer, type: stalled ? 'Stalled' : 'Reconciling', status: 'True' }]
}

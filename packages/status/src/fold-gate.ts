import type { Condition } from '@agents/kube'
import type { GateDeclaration } from './condition-declaration.ts'
import type { ConditionUpdate } from './next-condition.ts'
import type { Outcome, RunVerdict, Verdict } from './verdict.ts'

/** The part of a status that folding reads and writes. */
export interface ContractStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

export interface FoldedStatus {
  observedGeneration: number
  conditions: Condition[]
}

/** The condition of a gate that was checked, or whose check failed. */
export function checkedGate(
  gate: Pick<GateDeclaration, 'type' | 'reasons'>,
  verdict: Verdict,
): ConditionUpdate {
  const { type } = gate
  const { message } = verdict
  if (verdict.kind === 'threw') return { type, status: 'Unknown', reason: 'CheckFailed', message }
  requireReason(gate, verdict.reason)
  return {
    type,
    status: verdict.kind === 'pass' ? 'True' : 'False',
    reason: verdict.reason,
    message,
  }
}

/** The condition of a gate that was not checked. */
export function uncheckedGate(
  { type }: GateDeclaration,
  blocker: GateDeclaration | undefined,
): ConditionUpdate {
  const status = 'Unknown'
  if (!blocker) return { type, status, reason: 'NotChecked', message: 'not checked yet' }
  return { type, status, reason: 'Blocked', message: `waiting for ${blocker.type} to become True` }
}

/** Throws if the gate does not declare the reason: that is a bug in the gate, not a state of the cluster. */
export function requireReason(
  { type, reasons }: Pick<GateDeclaration, 'type' | 'reasons'>,
  reason: string,
): void {
  if (!Object.hasOwn(reasons, reason)) {
    throw new TypeError(`${type} does not declare the reason ${reason}`)
  }
}

/** Throws unless only the last verdict is other than `pass`: evaluation stops at the first gate that does not pass. */
export function requireOrder(verdicts: readonly RunVerdict[], limit: number): void {
  if (verdicts.length > limit) {
    throw new TypeError(`got ${verdicts.length} verdicts for ${limit} checks`)
  }
  if (verdicts.slice(0, -1).some(({ kind }) => kind !== 'pass')) {
    throw new TypeError('a gate was checked although an earlier one did not pass')
  }
}

/**
 * The generation that a status is about. It advances when every gate that could be checked was checked, also if one is
 * False. If a gate threw or the evaluation was interrupted, the old value stays: a client that compares generations
 * then sees that the status is not about the current spec.
 */
export function observedGeneration(
  gates: readonly GateDeclaration[],
  verdicts: readonly RunVerdict[],
  previous: ContractStatus | undefined,
  generation: number,
): number {
  const last = verdicts.at(-1)
  const allChecked = verdicts.length >= gates.length || (last !== undefined && last.kind !== 'pass')
  return allChecked && last?.kind !== 'threw' ? generation : (previous?.observedGeneration ?? -1)
}

export function isOutcome(verdict: RunVerdict | undefined): verdict is Outcome {
  return (
    verdict?.kind === 'succeeded' || verdict?.kind === 'failed' || verdict?.kind === 'cancelled'
  )
}

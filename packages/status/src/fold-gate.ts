import type { Condition } from '@agents/kube'
import type { GateDeclaration } from './condition-declaration.ts'
import type { ConditionUpdate } from './set-condition.ts'
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

/** What a gate's condition says when it was asked, or could not be. */
export function askedGate(
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

/** What a gate's condition says when its turn did not come. */
export function unaskedGate(
  { type }: GateDeclaration,
  blocker: GateDeclaration | undefined,
): ConditionUpdate {
  const status = 'Unknown'
  if (!blocker) return { type, status, reason: 'NotChecked', message: 'not asked yet' }
  return { type, status, reason: 'Blocked', message: `waits until ${blocker.type} is True` }
}

/** A gate that says what it did not declare is a mistake in the program, not a state of the world. */
export function requireReason(
  { type, reasons }: Pick<GateDeclaration, 'type' | 'reasons'>,
  reason: string,
): void {
  if (!Object.hasOwn(reasons, reason)) throw new TypeError(`${type} declares no reason ${reason}`)
}

/** The first verdict that does not pass ends the asking, so it can only be the last one. */
export function requireOrder(verdicts: readonly RunVerdict[], limit: number): void {
  if (verdicts.length > limit) {
    throw new TypeError(`${verdicts.length} verdicts, but only ${limit} questions`)
  }
  if (verdicts.slice(0, -1).some(({ kind }) => kind !== 'pass')) {
    throw new TypeError('a gate was asked although an earlier one did not pass')
  }
}

/**
 * Advances when every gate that could be asked was asked, also when the answer was no. A gate that threw, or asking that was
 * broken off, leaves the old value: whoever compares generations then knows that this status is not about this spec.
 */
export function observedGeneration(
  gates: readonly GateDeclaration[],
  verdicts: readonly RunVerdict[],
  previous: ContractStatus | undefined,
  generation: number,
): number {
  const last = verdicts.at(-1)
  const allAsked = verdicts.length >= gates.length || (last !== undefined && last.kind !== 'pass')
  return allAsked && last?.kind !== 'threw' ? generation : (previous?.observedGeneration ?? -1)
}

export function isOutcome(verdict: RunVerdict | undefined): verdict is Outcome {
  return (
    verdict?.kind === 'succeeded' || verdict?.kind === 'failed' || verdict?.kind === 'cancelled'
  )
}

import type { Condition, KubeObject } from '@agents/kube'
import {
  type ContractStatus,
  type FoldedStatus,
  foldRunVerdicts,
  foldVerdicts,
  isFinished,
  type Lifecycle,
  type Observation,
  type RunPhase,
  stampLifecycle,
  type Verdict,
} from '@agents/status'
import { type Evaluation, evaluateGates } from './evaluate-gates.ts'
import type { GateContext } from './gate.ts'
import { isRun, type Reconciler } from './reconciler.ts'

/** A status that follows the status contract, with the `detail` of the gates beside these fields. */
export interface GatedStatus extends ContractStatus, Lifecycle {
  readonly phase?: string
  readonly updatedAt?: string
  readonly [detail: string]: unknown
}

export interface Reconciled {
  readonly status: GatedStatus
  readonly recheckAfterMs: number | undefined
  /** How long the status is held back, because it is likely to change soon. */
  readonly holdForMs: number | undefined
  /** The same, while statuses are written at a high rate. */
  readonly holdWhenBusyMs: number | undefined
  /** The error of a gate. The status shows it, and the caller backs off. */
  readonly failure: { readonly error: unknown } | undefined
}

/** Evaluates the gates and folds their verdicts into one status. Writes nothing. */
export async function reconcile<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: GateContext,
): Promise<Reconciled> {
  const previous = (object.status ?? {}) as GatedStatus
  const over = isRun(reconciler) && isFinished(previous.conditions as Condition[] | undefined)
  const evaluation = over ? noEvaluation : await evaluateGates(reconciler, object, context)
  const at = { now: context.now, generation: object.metadata.generation ?? 0 }
  const folded = fold(reconciler, evaluation, previous, at)
  const phase = reconciler.phase?.(folded.conditions)
  const lifecycle = isRun(reconciler)
    ? stampLifecycle(previous, phase as RunPhase, context.now)
    : undefined
  const status = { ...previous, ...evaluation.detail, ...folded, ...lifecycle }
  return {
    status: phase === undefined ? status : { ...status, phase },
    recheckAfterMs: evaluation.recheckAfterMs,
    holdForMs: evaluation.holdForMs,
    holdWhenBusyMs: evaluation.holdWhenBusyMs,
    failure: evaluation.failure,
  }
}

const noEvaluation: Evaluation = {
  verdicts: [],
  detail: {},
  recheckAfterMs: undefined,
  failure: undefined,
}

function fold<T extends KubeObject>(
  reconciler: Reconciler<T>,
  { verdicts }: Evaluation,
  previous: ContractStatus,
  at: Observation,
): FoldedStatus {
  return isRun(reconciler)
    ? foldRunVerdicts(reconciler.conditions, verdicts, previous, at)
    : foldVerdicts(reconciler.conditions, verdicts as readonly Verdict[], previous, at)
}

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
import { type Answers, askGates } from './ask-gates.ts'
import type { GateContext } from './gate.ts'
import { isRun, type Reconciler } from './reconciler.ts'

/** A status under the contract; `detail` of the gates is beside these fields. */
export interface GatedStatus extends ContractStatus, Lifecycle {
  readonly phase?: string
  readonly updatedAt?: string
  readonly [detail: string]: unknown
}

export interface Reconciled {
  readonly status: GatedStatus
  readonly recheckAfterMs: number | undefined
  /** Not worth writing before this time has passed: it may be different by then. */
  readonly tellAfterMs: number | undefined
  /** A gate threw this: the status says so, and the caller backs off. */
  readonly failure: { readonly error: unknown } | undefined
}

/** Asks the gates and folds their verdicts into one status. Writes nothing. */
export async function reconcile<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: GateContext,
): Promise<Reconciled> {
  const previous = (object.status ?? {}) as GatedStatus
  const over = isRun(reconciler) && isFinished(previous.conditions as Condition[] | undefined)
  const answers = over ? nothingAsked : await askGates(reconciler, object, context)
  const at = { now: context.now, generation: object.metadata.generation ?? 0 }
  const folded = fold(reconciler, answers, previous, at)
  const phase = reconciler.phase?.(folded.conditions)
  const lifecycle = isRun(reconciler)
    ? stampLifecycle(previous, phase as RunPhase, context.now)
    : undefined
  const status = { ...previous, ...answers.detail, ...folded, ...lifecycle }
  return {
    status: phase === undefined ? status : { ...status, phase },
    recheckAfterMs: answers.recheckAfterMs,
    tellAfterMs: answers.tellAfterMs,
    failure: answers.failure,
  }
}

const nothingAsked: Answers = {
  verdicts: [],
  detail: {},
  recheckAfterMs: undefined,
  failure: undefined,
}

function fold<T extends KubeObject>(
  reconciler: Reconciler<T>,
  { verdicts }: Answers,
  previous: ContractStatus,
  at: Observation,
): FoldedStatus {
  return isRun(reconciler)
    ? foldRunVerdicts(reconciler.conditions, verdicts, previous, at)
    : foldVerdicts(reconciler.conditions, verdicts as readonly Verdict[], previous, at)
}

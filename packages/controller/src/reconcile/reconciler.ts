import type { Condition, KubeObject } from '@agents/kube'
import {
  type ClockFields,
  type GateDeclaration,
  type LivingConditions,
  type ReasonsByGate,
  type RunConditions,
  runPhase,
} from '@agents/status'
import type { Gate, GateContext, LivingGate, RunGate } from './gate.ts'
import type { Step } from './step.ts'
import type { RunGateVerdict } from './verdict.ts'

/** Everything particular to one kind; the rest of reconciling is the same for all. */
export type Reconciler<T extends KubeObject = KubeObject> = LivingReconciler<T> | RunReconciler<T>

interface Finalization<T extends KubeObject> {
  /** `group/name`. It is there before anything else is done, unless `isAlongside`. */
  readonly finalizer: string
  /**
   * The gates are asked meanwhile; what they make before they have waited for `marked` may be left behind. An object that is to
   * be deleted without the finalizer is taken through the steps all the same, though it may go meanwhile.
   */
  readonly isAlongside?: boolean
  /** In order, when the object is to be deleted. The finalizer goes after the last one is done. */
  readonly steps: readonly Step<T>[]
}

interface Shape<T extends KubeObject> {
  readonly kind: string
  readonly finalize?: Finalization<T>
  /** The fields of the status that only tell the time. Default: `updatedAt`. */
  readonly clockFields?: ClockFields
}

/** A kind that lives until it is deleted. */
export interface LivingReconciler<T extends KubeObject = KubeObject> extends Shape<T> {
  readonly conditions: LivingConditions
  /** In order. The first one that does not pass blocks those after it. */
  readonly gates: readonly Gate<T>[]
  /** Pure: the phase is a reading of the conditions, never a state of its own. */
  readonly phase?: (conditions: readonly Condition[]) => string
}

/** A kind that runs once and ends. */
export interface RunReconciler<T extends KubeObject = KubeObject> extends Shape<T> {
  readonly conditions: RunConditions
  readonly gates: readonly Gate<T>[]
  /** After all gates: waits while the work goes on, and says how it ended. */
  work(
    object: T,
    detail: object,
    context: GateContext,
  ): Promise<RunGateVerdict<string, object>> | RunGateVerdict<string, object>
  readonly phase: (conditions: readonly Condition[]) => string
  /** At every look at a run that has ended: clearing away, living no longer than allowed. None waits for another. */
  readonly afterwards: readonly Step<T>[]
}

export interface LivingDeclaration<T extends KubeObject, Detail, R extends ReasonsByGate>
  extends Shape<T> {
  readonly conditions: LivingConditions<R>
  readonly gates: readonly LivingGate<T, Detail, R>[]
  readonly phase?: (conditions: readonly Condition[]) => string
}

export function livingReconciler<T extends KubeObject, Detail, R extends ReasonsByGate>(
  declaration: LivingDeclaration<T, Detail, R>,
): LivingReconciler<T> {
  requireGates(declaration.kind, declaration.conditions.gates, declaration.gates)
  return declaration as unknown as LivingReconciler<T>
}

export interface RunDeclaration<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  P extends string,
  F extends string,
> extends Shape<T> {
  readonly conditions: RunConditions<R, P, F>
  readonly gates: readonly RunGate<T, Detail, R, F>[]
  work(
    object: T,
    detail: Partial<Detail>,
    context: GateContext,
  ):
    | Promise<RunGateVerdict<P | F | 'Running' | 'Failed', Detail>>
    | RunGateVerdict<P | F | 'Running' | 'Failed', Detail>
  readonly afterwards?: readonly Step<T>[]
}

export function runReconciler<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  P extends string,
  F extends string,
>(declaration: RunDeclaration<T, Detail, R, P, F>): RunReconciler<T> {
  requireGates(declaration.kind, declaration.conditions.gates, declaration.gates)
  const phase = runPhase(declaration.conditions)
  return { afterwards: [], ...declaration, phase } as unknown as RunReconciler<T>
}

export function isRun<T extends KubeObject>(
  reconciler: Reconciler<T>,
): reconciler is RunReconciler<T> {
  return reconciler.conditions.summary === 'Succeeded'
}

/** Gates that are not those the kind declares, in their order, are a mistake in the program. */
function requireGates(
  kind: string,
  declared: readonly Pick<GateDeclaration, 'type'>[],
  gates: readonly { readonly condition: string }[],
): void {
  const wanted = declared.map(({ type }) => type).join(', ')
  const given = gates.map(({ condition }) => condition).join(', ')
  if (wanted !== given) throw new TypeError(`${kind} declares the gates ${wanted}, not ${given}`)
}

import type { Condition, KubeObject } from '@agents/kube'
import {
  type ClockFields,
  type GateDeclaration,
  type LivingConditions,
  type ReasonsByGate,
  type RunConditions,
  runPhase,
} from '@agents/status'
import type { Gate, GateContext, LivingGate, RunGate, ScopedContext } from './gate.ts'
import type { Step } from './step.ts'
import type { RunGateVerdict } from './verdict.ts'

/** What is particular to one kind; the rest of reconciling is the same for all kinds. */
export type Reconciler<T extends KubeObject = KubeObject> = LivingReconciler<T> | RunReconciler<T>

interface Finalization<T extends KubeObject> {
  /** `group/name`. Added before the gates are evaluated, unless `isAlongside`. */
  readonly finalizer: string
  /**
   * Evaluates the gates while the finalizer is added. What they create before they await `finalizerAdded` may be left
   * behind. The steps also run for an object that is deleted without the finalizer, although it may vanish meanwhile.
   */
  readonly isAlongside?: boolean
  /** If false, it is not added any more, only removed from objects that have it. Default true. */
  readonly isAdded?: boolean
  /** Run in order when the object is being deleted. The finalizer is removed after the last one is done. */
  readonly steps: readonly Step<T>[]
}

interface Shape<T extends KubeObject> {
  readonly kind: string
  readonly finalize?: Finalization<T>
  /** The fields of the status that only hold timestamps. Default: `updatedAt`. */
  readonly clockFields?: ClockFields
  /**
   * Which changes of the summary condition are recorded as events. Default: all. `warnings` is for kinds with many
   * short-lived objects: the status says the rest, and an event costs as much as another object.
   */
  readonly events?: 'all' | 'warnings'
}

/**
 * Makes what the gates share in one reconcile. It is called once per reconcile, before the first gate, and must not
 * throw.
 */
type ScopeFactory<T extends KubeObject, Scope> = (object: T, context: GateContext) => Scope

/** A kind whose gates read a scope has to declare how it is made. */
type DeclaredScope<T extends KubeObject, Scope> = Scope extends undefined
  ? { readonly scope?: undefined }
  : { readonly scope: ScopeFactory<T, Scope> }

/** A kind that lives until it is deleted. */
export interface LivingReconciler<T extends KubeObject = KubeObject> extends Shape<T> {
  scope?(object: T, context: GateContext): unknown
  readonly conditions: LivingConditions
  /** Evaluated in order. The first gate that does not pass blocks the later ones. */
  readonly gates: readonly Gate<T>[]
  /** Pure: the phase follows from the conditions and is never independent state. */
  readonly phase?: (conditions: readonly Condition[]) => string
}

/** A kind that runs once and ends. */
export interface RunReconciler<T extends KubeObject = KubeObject> extends Shape<T> {
  scope?(object: T, context: GateContext): unknown
  readonly conditions: RunConditions
  readonly gates: readonly Gate<T>[]
  /** Called after all gates have passed: waits while the work runs, and returns its outcome. */
  work(
    object: T,
    detail: object,
    context: GateContext,
  ): Promise<RunGateVerdict<string, object>> | RunGateVerdict<string, object>
  readonly phase: (conditions: readonly Condition[]) => string
  /** Run at each reconcile of a finished run: cleanup and retention. No step waits for another. */
  readonly afterwards: readonly Step<T>[]
}

interface LivingDeclaration<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  Scope = undefined,
> extends Shape<T> {
  readonly conditions: LivingConditions<R>
  readonly gates: readonly LivingGate<T, Detail, R, Scope>[]
  readonly phase?: (conditions: readonly Condition[]) => string
}

export function livingReconciler<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  Scope = undefined,
>(
  declaration: LivingDeclaration<T, Detail, R, Scope> & DeclaredScope<T, Scope>,
): LivingReconciler<T> {
  requireGates(declaration.kind, declaration.conditions.gates, declaration.gates)
  return declaration as unknown as LivingReconciler<T>
}

interface RunDeclaration<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  P extends string,
  F extends string,
  Scope = undefined,
> extends Shape<T> {
  readonly conditions: RunConditions<R, P, F>
  readonly gates: readonly RunGate<T, Detail, R, F, Scope>[]
  work(
    object: T,
    detail: Partial<Detail>,
    context: ScopedContext<Scope>,
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
  Scope = undefined,
>(
  declaration: RunDeclaration<T, Detail, R, P, F, Scope> & DeclaredScope<T, Scope>,
): RunReconciler<T> {
  requireGates(declaration.kind, declaration.conditions.gates, declaration.gates)
  const phase = runPhase(declaration.conditions)
  return { afterwards: [], ...declaration, phase } as unknown as RunReconciler<T>
}

export function isRun<T extends KubeObject>(
  reconciler: Reconciler<T>,
): reconciler is RunReconciler<T> {
  return reconciler.conditions.summary === 'Succeeded'
}

/** Throws if the gates are not those that the kind declares, in the same order: that is a bug. */
function requireGates(
  kind: string,
  declared: readonly Pick<GateDeclaration, 'type'>[],
  gates: readonly { readonly condition: string }[],
): void {
  const wanted = declared.map(({ type }) => type).join(', ')
  const given = gates.map(({ condition }) => condition).join(', ')
  if (wanted !== given) throw new TypeError(`${kind} declares the gates ${wanted}, not ${given}`)
}

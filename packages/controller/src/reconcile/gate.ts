import type { KubeObject } from '@agents/kube'
import type {
  GateTypeOf,
  LivingConditions,
  ReasonOf,
  ReasonsByGate,
  RunConditions,
} from '@agents/status'
import type { GateVerdict, RunGateVerdict } from './verdict.ts'

export interface GateContext {
  readonly now: Date
  /** Aborted when the reconcile has taken too long, or the process ends. */
  readonly signal: AbortSignal
  /**
   * The pending write of the finalizer, if it runs alongside the gates. What must not outlive the object waits for it.
   */
  readonly finalizerAdded?: Promise<unknown> | undefined
}

/** The context of a gate whose kind declares a `scope`. */
export interface ScopedContext<Scope> extends GateContext {
  /** What the gates share in this reconcile; the next reconcile gets a new one. */
  readonly scope: Scope
}

/**
 * Answers one question about an object and owns exactly one condition. A gate that throws could not find the answer.
 */
export interface Gate<
  T extends KubeObject = KubeObject,
  Detail = object,
  Type extends string = string,
  Verdict = RunGateVerdict<string, Detail>,
  Context extends GateContext = GateContext,
> {
  readonly condition: Type
  /** `detail` is what the earlier gates returned in this reconcile. */
  check(object: T, detail: Partial<Detail>, context: Context): Promise<Verdict> | Verdict
  /** The detail that the status shows if an earlier gate blocks this one. If omitted, the status keeps its detail. */
  blockedDetail?(object: T): Partial<Detail>
}

/** The gates that a living kind can have, from the reasons that it declares. */
export type LivingGate<T extends KubeObject, Detail, R extends ReasonsByGate, Scope = undefined> = {
  [Type in keyof R & string]: Gate<
    T,
    Detail,
    Type,
    GateVerdict<R[Type], Detail>,
    ScopedContext<Scope>
  >
}[keyof R & string]

/** The gates that a run kind can have. Each may end the run, for its own reasons or those of the work. */
export type RunGate<
  T extends KubeObject,
  Detail,
  R extends ReasonsByGate,
  F extends string,
  Scope = undefined,
> = {
  [Type in keyof R & string]: Gate<
    T,
    Detail,
    Type,
    RunGateVerdict<R[Type] | F | 'Failed', Detail>,
    ScopedContext<Scope>
  >
}[keyof R & string]

/** One gate of a kind, for a separate file: `GateOf<typeof gitTargetConditions, 'Validated', GitTarget, Detail>`. */
export type GateOf<
  S extends LivingConditions | RunConditions,
  Type extends GateTypeOf<S>,
  T extends KubeObject,
  Detail = object,
  Scope = undefined,
> = Gate<
  T,
  Detail,
  Type,
  S extends RunConditions<infer _R, infer _P, infer F>
    ? RunGateVerdict<ReasonOf<S, Type> | F | 'Failed', Detail>
    : GateVerdict<ReasonOf<S, Type>, Detail>,
  Scope extends undefined ? GateContext : ScopedContext<Scope>
>

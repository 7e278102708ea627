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
  /** The finalizer on its way, where it comes alongside: what must not outlive the object waits for it. */
  readonly marked?: Promise<unknown> | undefined
}

/** Answers one question about an object and owns exactly one condition. What it throws means: could not find out. */
export interface Gate<
  T extends KubeObject = KubeObject,
  Detail = object,
  Type extends string = string,
  Verdict = RunGateVerdict<string, Detail>,
> {
  readonly condition: Type
  /** `detail` is what the gates before this one learnt in this pass. */
  check(object: T, detail: Partial<Detail>, context: GateContext): Promise<Verdict> | Verdict
  /** What the status shows of this gate when its turn does not come; without it, what it showed before. */
  unasked?(object: T): Partial<Detail>
}

/** The gates that a living kind can have, from the reasons that it declares. */
export type LivingGate<T extends KubeObject, Detail, R extends ReasonsByGate> = {
  [Type in keyof R & string]: Gate<T, Detail, Type, GateVerdict<R[Type], Detail>>
}[keyof R & string]

/** The gates that a run kind can have. Each may end the run, for its own reasons or those of the work. */
export type RunGate<T extends KubeObject, Detail, R extends ReasonsByGate, F extends string> = {
  [Type in keyof R & string]: Gate<T, Detail, Type, RunGateVerdict<R[Type] | F | 'Failed', Detail>>
}[keyof R & string]

/** One gate of a kind, for a file of its own: `GateOf<typeof gitTargetConditions, 'Validated', GitTarget, Detail>`. */
export type GateOf<
  S extends LivingConditions | RunConditions,
  Type extends GateTypeOf<S>,
  T extends KubeObject,
  Detail = object,
> = Gate<
  T,
  Detail,
  Type,
  S extends RunConditions<infer _R, infer _P, infer F>
    ? RunGateVerdict<ReasonOf<S, Type> | F | 'Failed', Detail>
    : GateVerdict<ReasonOf<S, Type>, Detail>
>

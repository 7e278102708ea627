import type { LivingConditions } from './living-conditions.ts'
import type { RunConditions } from './run-conditions.ts'

type GateReasons<S> =
  S extends LivingConditions<infer R> ? R : S extends RunConditions<infer R> ? R : never

type Companion = 'Ready' | 'Reconciling' | 'Stalled'

type RunCompanion<S> = S extends RunConditions ? 'Succeeded' | 'Finished' : never

/** The gate types of a kind: `GateTypeOf<typeof gitTargetConditions>`. */
export type GateTypeOf<S> = keyof GateReasons<S> & string

/** The condition types that an object of a kind can have. */
export type ConditionTypeOf<S> = GateTypeOf<S> | Companion | RunCompanion<S>

/** The reasons of one gate of a kind; if `Gate` is omitted, those of all its gates. */
export type ReasonOf<S, Gate extends GateTypeOf<S> = GateTypeOf<S>> = GateReasons<S>[Gate] & string

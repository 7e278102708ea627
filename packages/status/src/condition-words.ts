import type { LivingConditions } from './living-conditions.ts'
import type { RunConditions } from './run-conditions.ts'
import type { RunVerdict, Verdict } from './verdict.ts'

type GateReasons<S> =
  S extends LivingConditions<infer R> ? R : S extends RunConditions<infer R> ? R : never

type Companion = 'Ready' | 'Reconciling' | 'Stalled'

type RunCompanion<S> = S extends RunConditions ? 'Succeeded' | 'Finished' : never

/** The gates of a kind: `GateTypeOf<typeof gitTargetConditions>`. */
export type GateTypeOf<S> = keyof GateReasons<S> & string

/** The condition types that objects of a kind can carry. */
export type ConditionTypeOf<S> = GateTypeOf<S> | Companion | RunCompanion<S>

/** The reasons that a gate of a kind can give; without naming one, those of all its gates. */
export type ReasonOf<S, Gate extends GateTypeOf<S> = GateTypeOf<S>> = GateReasons<S>[Gate] & string

/** What a gate of a kind can find. A run's gate may also end the run, for its own reasons or those of the work. */
export type VerdictOf<S, Gate extends GateTypeOf<S> = GateTypeOf<S>> =
  S extends RunConditions<infer _, infer _P, infer F>
    ? RunVerdict<ReasonOf<S, Gate> | F | 'Failed'>
    : Verdict<ReasonOf<S, Gate>>

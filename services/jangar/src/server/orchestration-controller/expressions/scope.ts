import type { Json } from '@agents/crd'

/** How a step ended. A step that a run took over from another one Succeeded. */
export type StepOutcome = 'Succeeded' | 'Failed' | 'Skipped' | 'Cancelled'

/** The values that templates and expressions can use. */
export interface Scope {
  readonly parameters: Readonly<Record<string, string>>
  /** The steps that have ended, by name. */
  readonly steps: Readonly<
    Record<
      string,
      { readonly outputs: Readonly<Record<string, Json>>; readonly outcome: StepOutcome }
    >
  >
  readonly run: {
    readonly name: string
    readonly namespace: string
    /** Known to `finally` steps and to the outputs of a run only. */
    readonly outcome?: StepOutcome
  }
  /** The item of a loop. */
  readonly item?: Json
  /** The payload of a delivery, for `match`. */
  readonly payload?: Json
}

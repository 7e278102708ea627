interface Finding<Kind extends string, Reason extends string> {
  readonly kind: Kind
  readonly reason: Reason
  readonly message: string
}

/** The gate could not find out: it threw. The message must be safe to show. */
export interface Threw {
  readonly kind: 'threw'
  readonly message: string
}

/**
 * What a gate found. `pass` lets the next gate be asked; `wait` is asked again after a time; `stall` only when something
 * changes, because asking again would find the same.
 */
export type Verdict<Reason extends string = string> =
  | Finding<'pass', Reason>
  | Finding<'wait', Reason>
  | Finding<'stall', Reason>
  | Threw

/** What ends a run, found by whichever gate found it. */
export type Outcome<Reason extends string = string> =
  | { readonly kind: 'succeeded'; readonly message: string }
  | Finding<'failed', Reason>
  | { readonly kind: 'cancelled'; readonly message: string }

/** What a gate of a run found, or, after the last gate, what is known about its work. */
export type RunVerdict<Reason extends string = string> = Verdict<Reason> | Outcome<Reason>

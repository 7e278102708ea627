interface Finding<Kind extends string, Reason extends string> {
  readonly kind: Kind
  readonly reason: Reason
  readonly message: string
}

/** The check itself failed with an exception. The message is shown to users, so it must not contain secrets. */
interface Threw {
  readonly kind: 'threw'
  readonly message: string
}

/**
 * The result of a gate. After `pass` the next gate is checked. After `wait` the gate is checked again after a time,
 * after `stall` only when something changes, because an earlier check would have the same result.
 */
export type Verdict<Reason extends string = string> =
  | Finding<'pass', Reason>
  | Finding<'wait', Reason>
  | Finding<'stall', Reason>
  | Threw

/** The outcome of a run. Any gate can return it. */
export type Outcome<Reason extends string = string> =
  /** If the reason is omitted, it is `Succeeded`. */
  | { readonly kind: 'succeeded'; readonly reason?: string; readonly message: string }
  | Finding<'failed', Reason>
  | { readonly kind: 'cancelled'; readonly message: string }

/** The result of a gate of a run or, after the last gate, the state of its work. */
export type RunVerdict<Reason extends string = string> = Verdict<Reason> | Outcome<Reason>

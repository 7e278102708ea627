import type { Outcome } from '@agents/status'

/** The result of a gate. `detail` becomes part of the status. */
export type GateVerdict<Reason extends string = string, Detail = object> =
  | Pass<Reason, Detail>
  | Wait<Reason, Detail>
  | Stall<Reason, Detail>

/** The next gate is evaluated. */
export interface Pass<Reason extends string, Detail> extends Finding<'pass', Reason, Detail> {
  /** Evaluate again after this time, for changes that cause no event. */
  readonly recheckAfterMs?: number
}

/** Not yet; evaluated again after a time, or earlier if something changes. */
export interface Wait<Reason extends string, Detail> extends Finding<'wait', Reason, Detail> {
  readonly retryAfterMs: number
  /** For a state that is likely to change soon: the status is written after this time, unless it changes before. */
  readonly holdForMs?: number
  /** The same for a change of conditions while many statuses change. The longer of the two times applies. */
  readonly holdWhenBusyMs?: number
}

/** Evaluated again only when something changes: a retry would find the same. */
type Stall<Reason extends string, Detail> = Finding<'stall', Reason, Detail>

/** The result of a gate of a run, or of its work. An outcome ends the run. */
export type RunGateVerdict<Reason extends string = string, Detail = object> =
  | GateVerdict<Reason, Detail>
  | (Outcome<Reason> & { readonly detail?: Partial<Detail> })

interface Finding<Kind extends string, Reason extends string, Detail> {
  readonly kind: Kind
  readonly reason: Reason
  readonly message: string
  /** Undefined values remove the field from the status. */
  readonly detail?: Partial<Detail>
}

interface Extra<Detail> {
  readonly detail?: Partial<Detail>
}

export function pass<const Reason extends string, Detail = object>(
  reason: Reason,
  message: string,
  extra: Extra<Detail> & { readonly recheckAfterMs?: number } = {},
): Pass<Reason, Detail> {
  return { kind: 'pass', reason, message, ...extra }
}

export function wait<const Reason extends string, Detail = object>(
  reason: Reason,
  message: string,
  retryAfterMs: number,
  extra: Extra<Detail> & Pick<Wait<Reason, Detail>, 'holdForMs' | 'holdWhenBusyMs'> = {},
): Wait<Reason, Detail> {
  return { kind: 'wait', reason, message, retryAfterMs, ...extra }
}

export function stall<const Reason extends string, Detail = object>(
  reason: Reason,
  message: string,
  extra: Extra<Detail> = {},
): Stall<Reason, Detail> {
  return { kind: 'stall', reason, message, ...extra }
}

export function succeeded<Detail = object>(
  message: string,
  extra: Extra<Detail> & { readonly reason?: string } = {},
): {
  readonly kind: 'succeeded'
  readonly reason?: string
  readonly message: string
} & Extra<Detail> {
  return { kind: 'succeeded', message, ...extra }
}

export function failed<const Reason extends string, Detail = object>(
  reason: Reason,
  message: string,
  extra: Extra<Detail> = {},
): Finding<'failed', Reason, Detail> {
  return { kind: 'failed', reason, message, ...extra }
}

export function cancelled<Detail = object>(
  message: string,
  extra: Extra<Detail> = {},
): { readonly kind: 'cancelled'; readonly message: string } & Extra<Detail> {
  return { kind: 'cancelled', message, ...extra }
}

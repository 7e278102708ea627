import type { Outcome } from '@agents/status'

/** What a gate found, and what it learnt on the way: `detail` becomes part of the status as it is. */
export type GateVerdict<Reason extends string = string, Detail = object> =
  | Pass<Reason, Detail>
  | Wait<Reason, Detail>
  | Stall<Reason, Detail>

/** The next gate is asked. */
export interface Pass<Reason extends string, Detail> extends Finding<'pass', Reason, Detail> {
  /** Ask again after this time although all is well, for what can go wrong without anybody telling. */
  readonly recheckAfterMs?: number
}

/** Not yet; asked again after a time, or earlier when something changes. */
export interface Wait<Reason extends string, Detail> extends Finding<'wait', Reason, Detail> {
  readonly retryAfterMs: number
  /** For what is likely to be different soon: an object that has a status keeps that for so long before it says this. */
  readonly tellAfterMs?: number
}

/** Asked again only when something changes: asking now would find the same. */
export type Stall<Reason extends string, Detail> = Finding<'stall', Reason, Detail>

/** What a gate of a run, or the look at its work, found. An outcome ends the run. */
export type RunGateVerdict<Reason extends string = string, Detail = object> =
  | GateVerdict<Reason, Detail>
  | (Outcome<Reason> & { readonly detail?: Partial<Detail> })

interface Finding<Kind extends string, Reason extends string, Detail> {
  readonly kind: Kind
  readonly reason: Reason
  readonly message: string
  /** Undefined values remove what the status said before. */
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
  extra: Extra<Detail> & { readonly tellAfterMs?: number } = {},
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
  extra: Extra<Detail> = {},
): { readonly kind: 'succeeded'; readonly message: string } & Extra<Detail> {
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

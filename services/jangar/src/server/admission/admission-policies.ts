/** What a policy decides about a run that has no slot. */
export type PolicyVerdict<Reason extends string = string> =
  | PolicyPass
  | PolicyWait<Reason>
  | PolicyFail<Reason>

export interface PolicyPass {
  readonly kind: 'pass'
  /** What the condition of the run shows about it, such as who approved. */
  readonly note?: string
}

/** The run waits outside of the queue, so that it delays no other run. */
export interface PolicyWait<Reason extends string> {
  readonly kind: 'wait'
  readonly reason: Reason
  /** Stays the same while nothing but the clock changes. */
  readonly message: string
  /** If omitted, the policy relies on events; it is still evaluated again now and then. */
  readonly requeueAfterMs?: number
  /** The earliest time at which the run may start, for `status.queue`. */
  readonly eligibleAt?: Date
}

/** The run fails and never starts. */
export interface PolicyFail<Reason extends string> {
  readonly kind: 'fail'
  readonly reason: Reason
  readonly message: string
}

/**
 * Decides whether a run may take a slot, in each reconcile until it has one. `scope` is what the gates of the run
 * share. A policy that does not concern a run returns `policyPass` at once: it is evaluated for every run.
 */
export type AdmissionPolicy<Run, Scope, Reason extends string = string> = (
  run: Run,
  scope: Scope,
  signal: AbortSignal,
) => PolicyVerdict<Reason> | Promise<PolicyVerdict<Reason>>

export const policyPass: PolicyPass = { kind: 'pass' }

/** Evaluates the policies in order, until one does not pass. */
export async function evaluatePolicies<Run, Scope, Reason extends string>(
  policies: readonly AdmissionPolicy<Run, Scope, Reason>[],
  run: Run,
  scope: Scope,
  signal: AbortSignal,
): Promise<PolicyVerdict<Reason>> {
  const notes: string[] = []
  for (const policy of policies) {
    const verdict = await policy(run, scope, signal)
    if (verdict.kind !== 'pass') return verdict
    if (verdict.note !== undefined) notes.push(verdict.note)
  }
  return notes.length === 0 ? policyPass : { kind: 'pass', note: notes.join('; ') }
}

import type { Condition } from '@agents/kube'

/** The summary of an object has changed: what was so, and what is. */
export interface Transition {
  readonly from: Pick<Condition, 'status' | 'reason'> | undefined
  readonly to: Condition
  /** Whether a person should look: something is known to be wrong. */
  readonly isWarning: boolean
}

/** Undefined while the summary says the same, whatever its message. */
export function summaryTransition(
  summary: string,
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): Transition | undefined {
  const from = before?.find(({ type }) => type === summary)
  const to = after?.find(({ type }) => type === summary)
  if (!to || (from?.status === to.status && from.reason === to.reason)) return undefined
  const stalled = after?.find(({ type }) => type === 'Stalled')?.status === 'True'
  return { from, to, isWarning: stalled || to.reason === 'CheckFailed' }
}

import type { Condition } from '@agents/kube'

/** A change of the summary condition. */
export interface Transition {
  readonly from: Pick<Condition, 'status' | 'reason'> | undefined
  readonly to: Condition
  /** Whether the event is a Warning: something is known to be wrong. */
  readonly isWarning: boolean
}

/** Undefined if status, reason and Stalled are unchanged; a changed message does not count. */
export function summaryTransition(
  summary: string,
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): Transition | undefined {
  const from = before?.find(({ type }) => type === summary)
  const to = after?.find(({ type }) => type === summary)
  const isStalled = stalls(after)
  const isSame =
    from?.status === to?.status && from?.reason === to?.reason && stalls(before) === isStalled
  if (!to || isSame) return undefined
  return { from, to, isWarning: isStalled || to.reason === 'CheckFailed' }
}

function stalls(conditions: readonly Condition[] | undefined): boolean {
  return conditions?.find(({ type }) => type === 'Stalled')?.status === 'True'
}

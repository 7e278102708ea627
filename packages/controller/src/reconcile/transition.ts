import type { Condition } from '@agents/kube'

/** The summary of an object has changed: what was so, and what is. */
export interface Transition {
  readonly from: Pick<Condition, 'status' | 'reason'> | undefined
  readonly to: Condition
  /** Whether a person should look: something is known to be wrong. */
  readonly isWarning: boolean
}

/** Undefined while the summary says the same, whatever its message, and a person is needed as before. */
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

const stalls = (conditions: readonly Condition[] | undefined): boolean =>
  conditions?.find(({ type }) => type === 'Stalled')?.status === 'True'

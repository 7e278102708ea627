import type { Condition } from '@agents/kube'

/** A time on a day long after the tests were written, in minutes after midnight. */
export function at(minute: number): string {
  return `2026-01-02T00:${String(minute).padStart(2, '0')}:00Z`
}

export function condition(
  type: string,
  status: Condition['status'],
  minute: number,
  reason = 'Tested',
): Condition {
  return { type, status, reason, message: '', lastTransitionTime: at(minute) }
}

/** The conditions of a run that waits for its first gate. */
export function pending(gates: readonly string[]): Condition[] {
  return [
    condition('Succeeded', 'Unknown', 0),
    condition('Finished', 'False', 0, 'Pending'),
    condition('Ready', 'Unknown', 0),
    condition('Reconciling', 'True', 0),
    ...gates.map((type) => condition(type, 'Unknown', 0, 'Blocked')),
  ]
}

/** The conditions of a run whose work is in progress. */
export function running(gates: readonly string[]): Condition[] {
  return [
    condition('Succeeded', 'Unknown', 0),
    condition('Finished', 'False', 0, 'Running'),
    condition('Ready', 'Unknown', 0),
    condition('Reconciling', 'True', 0),
    ...gates.map((type) => condition(type, 'True', 1)),
  ]
}

/** The conditions of a run that failed. */
export function failed(gates: readonly string[]): Condition[] {
  return [
    condition('Succeeded', 'False', 2, 'JobFailed'),
    condition('Finished', 'True', 2, 'JobFailed'),
    condition('Ready', 'False', 2, 'JobFailed'),
    condition('Stalled', 'True', 2, 'JobFailed'),
    ...gates.map((type) => condition(type, 'True', 1)),
  ]
}

/** The conditions with another value of one of them. */
export function changed(
  conditions: readonly Condition[],
  type: string,
  change: Partial<Condition>,
): Condition[] {
  return conditions.map((one) => (one.type === type ? { ...one, ...change } : one))
}

import type { Condition } from '@agents/kube'

/** Whether a run has finished: its outcome does not change after that. */
export function isFinished(conditions: readonly Condition[] | undefined): boolean {
  return conditions?.find(({ type }) => type === 'Finished')?.status === 'True'
}

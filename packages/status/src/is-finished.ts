import type { Condition } from '@agents/kube'

/** A run that is over: nothing about its outcome changes any more. */
export function isFinished(conditions: readonly Condition[] | undefined): boolean {
  return conditions?.find(({ type }) => type === 'Finished')?.status === 'True'
}

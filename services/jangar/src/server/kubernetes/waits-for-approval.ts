import type { KubeObject } from '@agents/kube'
import { conditionOf } from './condition-of.ts'

/** Whether the run waits for people, or for the policy that names them. */
export function waitsForApproval(run: Pick<KubeObject, 'status'>): boolean {
  const reason = conditionOf(run, 'Admitted')?.reason
  return reason === 'WaitingForApproval' || reason === 'PolicyMissing'
}

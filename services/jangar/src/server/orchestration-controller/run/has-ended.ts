import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { isTrue } from '../../kubernetes/condition-of.ts'

/**
 * Whether a child has ended and has all its outputs. The pull request of an AgentRun is opened after its end; it is
 * waited for until the first attempt, since a service may be down for long.
 */
export function hasEnded(child: KubeObject): boolean {
  if (!isTrue(child, 'Finished')) return false
  const { state, message } = (child as Pick<AgentRun, 'status'>).status?.vcs?.pullRequest ?? {}
  return state !== 'Pending' || message !== undefined
}

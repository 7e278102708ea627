import type { PodSpec } from '@agents/kube'
import type { AttemptEnd } from '../container/attempt-record.ts'
import type { NodeContainer } from '../container/launch-plan.ts'

/** What is known of one container: its last attempt, and how the one before ended. */
export interface ContainerView {
  /** How often it was started. */
  readonly starts: number
  /** Since when it runs, if it does. */
  readonly runningSince?: string
  /** How the last attempt ended. */
  readonly end?: AttemptEnd
  readonly previousEnd?: AttemptEnd
  /** Why it has not started, or not again. */
  readonly problem?: WaitingProblem
}

export interface WaitingProblem {
  readonly reason: string
  readonly message?: string
}

export type ContainerRole = 'init' | 'sidecar' | 'main'

export interface PodContainer {
  readonly container: NodeContainer
  readonly role: ContainerRole
}

/** In the order in which they start. */
export function containersOf({ initContainers = [], containers }: PodSpec): PodContainer[] {
  return [
    ...initContainers.map((container) => ({
      container,
      role: container.restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    ...containers.map((container) => ({ container, role: 'main' as const })),
  ]
}

export const neverStarted: ContainerView = { starts: 0 }

/** Whether a container that has ended like this is started again. */
export function mayRestart(
  { container, role }: PodContainer,
  { restartPolicy = 'Always' }: PodSpec,
  { exitCode }: AttemptEnd,
): boolean {
  if (role === 'sidecar') return true
  if (role === 'init') return restartPolicy !== 'Never' && exitCode !== 0
  const policy = container.restartPolicy ?? restartPolicy
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

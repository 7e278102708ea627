import type { PodSpec } from '@agents/kube'
import type { AttemptEnd } from '../container/attempt-record.ts'
import type { NodeContainer } from '../container/launch-plan.ts'

/** State of one container: its last attempt, and how the previous one ended. */
export interface ContainerView {
  /** Number of starts. */
  readonly starts: number
  /** Start time, if it is running. */
  readonly runningSince?: string
  /** How the last attempt ended. */
  readonly end?: AttemptEnd
  readonly previousEnd?: AttemptEnd
  /** Why it has not started, or not restarted. */
  readonly problem?: WaitingProblem
}

export interface WaitingProblem {
  readonly reason: string
  readonly message?: string
}

type ContainerRole = 'init' | 'sidecar' | 'main'

export interface PodContainer {
  readonly container: NodeContainer
  readonly role: ContainerRole
}

/** In start order. */
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

/** Whether a container with this result is restarted. */
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

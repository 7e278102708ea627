import type { DeclaredKind } from '@agents/kube'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import type { Leadership } from './leadership.ts'
import { missingKinds, type Served } from './served-kinds.ts'

export interface ControllerFacts {
  readonly name: string
  readonly kinds: readonly DeclaredKind[]
  /** Whether the controller runs in this process. */
  readonly isOwn: boolean
  /** Undefined if leader election is disabled. Only the controller of this process is known then. */
  readonly leadership: Leadership | undefined
  /** Whether the caches of this process have synced. */
  readonly cachesFilled: boolean
  readonly served: Served
}

interface Work {
  readonly started: boolean
  readonly leader: string
  readonly status: ComponentStatus
  readonly message: string
}

interface ControllerAnswer extends Work {
  readonly name: string
  readonly enabled: boolean
  readonly crdsReady: boolean
  readonly missingCrds: string[]
}

/** Healthy only if a controller is known to run and all its kinds are served. */
export function controllerStatus(facts: ControllerFacts): ControllerAnswer {
  const { name, kinds, isOwn, served } = facts
  const work = workOf(facts)
  const common = { name, enabled: isOwn, ...work, missingCrds: [] }
  if (served === undefined) {
    const message = 'API discovery failed'
    return { ...common, crdsReady: false, status: ComponentStatus.UNKNOWN, message }
  }
  const missing = missingKinds(served, kinds)
  if (missing.length > 0) {
    return {
      ...common,
      crdsReady: false,
      missingCrds: missing,
      status: ComponentStatus.DEGRADED,
      message: `kinds not installed: ${missing.join(', ')}`,
    }
  }
  return { ...common, crdsReady: true }
}

function workOf({ isOwn, leadership, cachesFilled }: ControllerFacts): Work {
  if (leadership === undefined) return isOwn ? ownWork(cachesFilled) : unknownWork
  switch (leadership.kind) {
    case 'held':
      return {
        started: true,
        leader: leadership.holder,
        status: ComponentStatus.HEALTHY,
        message: `${leadership.holder} is the leader`,
      }
    case 'overdue':
      return {
        started: false,
        leader: leadership.holder,
        status: ComponentStatus.DEGRADED,
        message: `${leadership.holder} has not renewed its Lease since ${leadership.since}`,
      }
    case 'free':
      return idle(ComponentStatus.DEGRADED, 'no leader')
    case 'hidden':
      return idle(ComponentStatus.UNKNOWN, leadership.because)
  }
}

function ownWork(cachesFilled: boolean): Work {
  if (!cachesFilled) return idle(ComponentStatus.DEGRADED, 'the caches have not synced yet')
  const message = 'running in this process, without leader election'
  return { started: true, leader: '', status: ComponentStatus.HEALTHY, message }
}

const unknownWork = idle(
  ComponentStatus.UNKNOWN,
  'not running in this process; without leader election, other processes are unknown',
)

function idle(status: ComponentStatus, message: string): Work {
  return { started: false, leader: '', status, message }
}

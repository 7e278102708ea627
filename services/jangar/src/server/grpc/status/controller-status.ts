import type { DeclaredKind } from '@agents/kube'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import type { Leadership } from './leadership.ts'
import { missingKinds, type Served } from './served-kinds.ts'

export interface ControllerFacts {
  readonly name: string
  readonly kinds: readonly DeclaredKind[]
  /** Whether it is part of this process. */
  readonly isOwn: boolean
  /** Undefined where nobody is elected: then only this process can know. */
  readonly leadership: Leadership | undefined
  /** Whether this process has seen everything that it would work on. */
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

/** Healthy only when somebody is known to work and has everything to work with. */
export function controllerStatus(facts: ControllerFacts): ControllerAnswer {
  const { name, kinds, isOwn, served } = facts
  const work = workOf(facts)
  const common = { name, enabled: isOwn, ...work, missingCrds: [] }
  if (served === undefined) {
    const message = 'the API server does not say what it serves'
    return { ...common, crdsReady: false, status: ComponentStatus.UNKNOWN, message }
  }
  const missing = missingKinds(served, kinds)
  if (missing.length > 0) {
    return {
      ...common,
      crdsReady: false,
      missingCrds: missing,
      status: ComponentStatus.DEGRADED,
      message: `not installed: ${missing.join(', ')}`,
    }
  }
  return { ...common, crdsReady: true }
}

function workOf({ isOwn, leadership, cachesFilled }: ControllerFacts): Work {
  if (leadership === undefined) return isOwn ? ownWork(cachesFilled) : unseen
  switch (leadership.kind) {
    case 'held':
      return {
        started: true,
        leader: leadership.holder,
        status: ComponentStatus.HEALTHY,
        message: `${leadership.holder} leads`,
      }
    case 'overdue':
      return {
        started: false,
        leader: leadership.holder,
        status: ComponentStatus.DEGRADED,
        message: `${leadership.holder} has not renewed its Lease since ${leadership.since}`,
      }
    case 'free':
      return idle(ComponentStatus.DEGRADED, 'nobody leads')
    case 'hidden':
      return idle(ComponentStatus.UNKNOWN, leadership.because)
  }
}

function ownWork(cachesFilled: boolean): Work {
  if (!cachesFilled) return idle(ComponentStatus.DEGRADED, 'the caches are not filled yet')
  const message = 'runs in this process, without an election'
  return { started: true, leader: '', status: ComponentStatus.HEALTHY, message }
}

const unseen = idle(
  ComponentStatus.UNKNOWN,
  'not part of this process, and without an election no Lease tells of another',
)

function idle(status: ComponentStatus, message: string): Work {
  return { started: false, leader: '', status, message }
}

import { type AgentRun, agentRunConditions } from '@agents/jangar-api'
import type { ClusterEvent, Condition } from '@agents/kube'
import { nextSteps } from './next-steps.ts'

/** Every question that was asked about a run, with its answer. */
export interface DecisionTrace {
  readonly gates: readonly AskedGate[]
  readonly queue: Queued | undefined
  readonly steps: readonly TracedStep[]
  readonly history: readonly Happening[]
  /** What comes next, by itself or by whose doing: whole sentences. */
  readonly next: readonly string[]
}

export interface Queued {
  readonly position: number
  readonly eligibleAt: string | undefined
  /** When it was last looked at: the further back, the more rarely. */
  readonly asOf: string | undefined
}

export interface AskedGate {
  readonly type: string
  readonly answer: 'yes' | 'no' | 'open'
  readonly reason: string
  readonly message: string
  /** What the reason means in general. */
  readonly meaning: string
  /** When the answer last changed. */
  readonly since: string | undefined
}

export interface TracedStep {
  readonly name: string
  readonly phase: string
  readonly attempt: number
  readonly message: string
  /** Of the last attempt. */
  readonly startedAt: string | undefined
  readonly finishedAt: string | undefined
}

export interface Happening {
  readonly at: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly isWarning: boolean
}

export function decisionTrace(
  run: AgentRun,
  events: readonly ClusterEvent[],
  now: Date,
): DecisionTrace {
  const { conditions = [], queue, workflow, updatedAt } = run.status ?? {}
  const asked = [...agentRunConditions.gates.map(({ type }) => type), 'Finished']
  return {
    gates: asked.map((type) => askedGate(type, conditions)),
    queue:
      queue?.position === undefined
        ? undefined
        : { position: Number(queue.position), eligibleAt: queue.eligibleAt, asOf: updatedAt },
    steps: (workflow?.steps ?? []).map(
      ({ name = '', phase = 'Pending', attempt = 0, message = '', startedAt, finishedAt }) => ({
        name,
        phase,
        attempt: Number(attempt),
        message,
        startedAt,
        finishedAt,
      }),
    ),
    history: [...untold(run, events), ...events.map(happening)].toSorted((a, b) =>
      a.at.localeCompare(b.at),
    ),
    next: nextSteps(run, now),
  }
}

function askedGate(type: string, conditions: readonly Condition[]): AskedGate {
  const condition = conditions.find((each) => each.type === type)
  if (condition === undefined) {
    return {
      type,
      answer: 'open',
      reason: 'NotChecked',
      message: 'nobody has asked yet',
      meaning: '',
      since: undefined,
    }
  }
  const { status, reason, message, lastTransitionTime } = condition
  const declared = agentRunConditions.all.find((each) => each.type === type)
  const meaning =
    (declared?.reasons as Readonly<Record<string, string>> | undefined)?.[reason] ?? ''
  return {
    type,
    answer: status === 'True' ? 'yes' : status === 'False' ? 'no' : 'open',
    reason,
    message,
    meaning,
    since: lastTransitionTime,
  }
}

/**
 * What the status knows and no event tells: a short run may have ended before its beginning was told, and a cluster forgets
 * events after an hour.
 */
function untold({ status = {} }: AgentRun, events: readonly ClusterEvent[]): Happening[] {
  const { startedAt, finishedAt, conditions = [] } = status
  const isTold = (reason: string): boolean => events.some((event) => event.reason === reason)
  const entry = (at: string, reason: string, message: string): Happening => ({
    at,
    reason,
    message,
    count: 1,
    isWarning: false,
  })
  const end = conditions.find(({ type }) => type === 'Succeeded')
  return [
    ...(startedAt === undefined || isTold('Running')
      ? []
      : [entry(startedAt, 'Running', 'its work has begun')]),
    ...(finishedAt === undefined || end === undefined || isTold(end.reason)
      ? []
      : [entry(finishedAt, end.reason, end.message)]),
  ]
}

function happening(event: ClusterEvent): Happening {
  const { reason = '', message = '', count = 1, type, lastTimestamp, eventTime, metadata } = event
  return {
    at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '',
    reason,
    message,
    count,
    isWarning: type === 'Warning',
  }
}

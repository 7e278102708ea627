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

/** `ofWork`: events of what carries the run. */
export function decisionTrace(
  run: AgentRun,
  events: readonly ClusterEvent[],
  now: Date,
  ofWork: readonly ClusterEvent[] = [],
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
    history: inOrder([
      ...withUntold(run, inOrder(events.map(happening))),
      ...ofWork.map((event) => {
        const { kind, name } = event.involvedObject
        const told = happening(event)
        return { ...told, message: `${kind} ${name}: ${told.message}` }
      }),
    ]),
    next: nextSteps(run, now),
  }
}

function inOrder(history: readonly Happening[]): Happening[] {
  return history.toSorted((a, b) => a.at.localeCompare(b.at))
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
 * Adds what the status knows and no event tells: a short run may have ended before its beginning was told, and a cluster
 * forgets events after an hour.
 */
function withUntold({ status = {} }: AgentRun, told: readonly Happening[]): Happening[] {
  const { startedAt, finishedAt, conditions = [] } = status
  const end = conditions.find(({ type }) => type === 'Succeeded')
  const history = [...told]
  if (startedAt !== undefined && !told.some(({ reason }) => reason === 'Running')) {
    // Times are whole seconds: what can only come later tells where in that second the beginning was.
    const later = new Set(['AttemptFailed', 'Retrying', 'Cancelling', end?.reason])
    const next = told.findIndex(
      ({ at, reason }) => at > startedAt || (at === startedAt && later.has(reason)),
    )
    const began = entry(startedAt, 'Running', 'its work has begun')
    history.splice(next === -1 ? told.length : next, 0, began)
  }
  if (finishedAt !== undefined && end !== undefined) {
    const isTold = told.some(({ reason }) => reason === end.reason)
    if (!isTold) history.push(entry(finishedAt, end.reason, end.message))
  }
  return history
}

function entry(at: string, reason: string, message: string): Happening {
  return { at, reason, message, count: 1, isWarning: false }
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

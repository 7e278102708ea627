import type { ClusterEvent, Condition } from '@agents/kube'
import type { LivingConditions, RunConditions } from '@agents/status'
import { agentRuns, type ShownKind, type ShownRun } from '../run/run-kind.ts'
import type { ActiveRun } from './active-runs.ts'
import { nextSteps } from './next-steps.ts'
import type { UsualDuration } from './usual-duration.ts'

/** The conditions of a run in the order in which they are checked, with its queue position, steps and events. */
export interface DecisionTrace {
  readonly gates: readonly CheckedGate[]
  readonly queue: Queued | undefined
  /** The runs of the namespace that hold slots, if the run waits for one. */
  readonly holders: readonly ActiveRun[]
  /** How long past runs of its agent took, if it has not ended. */
  readonly usual: UsualDuration | undefined
  readonly steps: readonly TracedStep[]
  readonly history: readonly TraceEvent[]
  /** What happens next, or what the user has to do: whole sentences. */
  readonly next: readonly string[]
}

export interface Queued {
  readonly position: number
  readonly eligibleAt: string | undefined
  /** When the position was last updated; positions far back in the queue are updated less often. */
  readonly asOf: string | undefined
}

export interface CheckedGate {
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

export interface TraceEvent {
  readonly at: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly isWarning: boolean
}

/** A kind of objects that no Job executes. */
interface OtherKind {
  readonly conditions: Pick<RunConditions | LivingConditions, 'gates' | 'all'>
  /** The condition that is shown last. If omitted, `Finished`, as runs have it. */
  readonly summary?: 'Ready'
  nextSteps(): readonly string[]
}

interface TraceFacts {
  /** Of its Job and pods. */
  readonly jobEvents?: readonly ClusterEvent[]
  readonly holders?: readonly ActiveRun[]
  readonly usual?: UsualDuration | undefined
  /** If omitted, an AgentRun. */
  readonly of?: ShownKind | OtherKind
}

/** Builds the trace of a run. */
export function decisionTrace(
  run: ShownRun,
  events: readonly ClusterEvent[],
  now: Date,
  { jobEvents = [], holders = [], usual, of = agentRuns }: TraceFacts = {},
): DecisionTrace {
  const { conditions = [], queue, workflow, updatedAt } = run.status ?? {}
  const last = ('summary' in of ? of.summary : undefined) ?? 'Finished'
  const checkedTypes = [...of.conditions.gates.map(({ type }) => type), last]
  return {
    gates: checkedTypes.map((type) => checkedGate(type, conditions, of)),
    queue:
      queue?.position === undefined
        ? undefined
        : { position: Number(queue.position), eligibleAt: queue.eligibleAt, asOf: updatedAt },
    holders,
    usual,
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
      ...withMissingEvents(run, inOrder(events.map(traceEvent))),
      ...jobEvents.map((event) => {
        const { kind, name } = event.involvedObject
        const recorded = traceEvent(event)
        return { ...recorded, message: `${kind} ${name}: ${recorded.message}` }
      }),
    ]),
    next: 'nextSteps' in of ? of.nextSteps() : nextSteps(run, now, of),
  }
}

function inOrder(history: readonly TraceEvent[]): TraceEvent[] {
  return history.toSorted((a, b) => a.at.localeCompare(b.at))
}

function checkedGate(
  type: string,
  conditions: readonly Condition[],
  of: ShownKind | OtherKind,
): CheckedGate {
  const condition = conditions.find((each) => each.type === type)
  if (condition === undefined) {
    return {
      type,
      answer: 'open',
      reason: 'NotChecked',
      message: 'not checked yet',
      meaning: '',
      since: undefined,
    }
  }
  const { status, reason, message, lastTransitionTime } = condition
  const declared = of.conditions.all.find((each) => each.type === type)
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
 * Adds start and end from the status where no event reports them: events of short runs may be missing, and a cluster
 * deletes events after an hour.
 */
function withMissingEvents(
  { status = {} }: ShownRun,
  recorded: readonly TraceEvent[],
): TraceEvent[] {
  const { startedAt, finishedAt, conditions = [] } = status
  const end = conditions.find(({ type }) => type === 'Succeeded')
  const history = [...recorded]
  if (startedAt !== undefined && !recorded.some(({ reason }) => reason === 'Running')) {
    // Times have whole seconds: events that can only follow the start show where in that second it was.
    const later = new Set(['AttemptFailed', 'Retrying', 'Cancelling', end?.reason])
    const next = recorded.findIndex(
      ({ at, reason }) => at > startedAt || (at === startedAt && later.has(reason)),
    )
    const began = entry(startedAt, 'Running', 'the run started')
    history.splice(next === -1 ? recorded.length : next, 0, began)
  }
  if (finishedAt !== undefined && end !== undefined) {
    const isRecorded = recorded.some(({ reason }) => reason === end.reason)
    if (!isRecorded) history.push(entry(finishedAt, end.reason, end.message))
  }
  return history
}

function entry(at: string, reason: string, message: string): TraceEvent {
  return { at, reason, message, count: 1, isWarning: false }
}

function traceEvent(event: ClusterEvent): TraceEvent {
  const { reason = '', message = '', count = 1, type, lastTimestamp, eventTime, metadata } = event
  return {
    at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '',
    reason,
    message,
    count,
    isWarning: type === 'Warning',
  }
}

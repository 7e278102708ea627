import { type AgentRun, agentRunConditions } from '@agents/jangar-api'
import type { Condition } from '@agents/kube'
import { isFinished, rfc3339 } from '@agents/status'
import { shortDuration } from '../cli/duration.ts'
import { whileRunning } from './while-running.ts'

/** What happens to a run from here on, and who must do what for it. */
export function nextSteps(run: AgentRun, now: Date): string[] {
  const { conditions = [] } = run.status ?? {}
  const { name } = run.metadata
  if (run.metadata.deletionTimestamp !== undefined) {
    return ['It is being deleted: its work is stopped, then it is gone.']
  }
  if (isFinished(conditions)) return afterTheEnd(run)
  if (conditions.length === 0) {
    return [
      'A controller has to look at it first. If that takes more than a moment: agentctl doctor',
    ]
  }
  if (run.spec.cancel === true) return ['It is being cancelled: it ends when its work has stopped.']
  const open = openGate(conditions)
  if (open === undefined) return whileRunning(run, now)
  const isStalled = conditions.some(({ type, status }) => type === 'Stalled' && status === 'True')
  if (isStalled) return [`It goes on when somebody changes something: ${open.message}`]
  return [...whileWaiting(run, open, now), `To give it up: agentctl cancel ${name}`]
}

function openGate(conditions: readonly Condition[]): Condition | undefined {
  for (const { type } of agentRunConditions.gates) {
    const condition = conditions.find((each) => each.type === type)
    if (condition !== undefined && condition.status !== 'True') return condition
  }
  return undefined
}

function afterTheEnd({ spec, status, metadata }: AgentRun): string[] {
  const ttl = spec.ttlSecondsAfterFinished
  const kept =
    ttl === 0
      ? 'It is kept until somebody deletes it.'
      : ttl === undefined || status?.finishedAt === undefined
        ? 'It is kept for as long as the platform is set to keep finished runs.'
        : `It is kept until ${rfc3339(new Date(Date.parse(status.finishedAt) + Number(ttl) * 1000))}, then deleted.`
  return [
    'Nothing: it has ended, and its outcome does not change any more.',
    kept,
    // Pods are kept for a shorter time than their run, and what was stopped goes at once.
    ...(status?.startedAt === undefined
      ? []
      : [`What it said, as long as its pods are kept: agentctl logs ${metadata.name}`]),
  ]
}

function whileWaiting(
  { status }: AgentRun,
  { type, reason, message }: Condition,
  now: Date,
): string[] {
  const eligibleAt = status?.queue?.eligibleAt
  const later =
    eligibleAt === undefined
      ? []
      : [
          `It is looked at again in ${shortDuration(Date.parse(eligibleAt) - now.getTime())} at the latest.`,
        ]
  const advice = waitingFor[reason]
  if (advice !== undefined) return [advice, ...later]
  if (reason === 'CheckFailed') {
    return [
      `Whether it is ${type} could not be found out (${message}); it is tried again by itself.`,
      ...later,
    ]
  }
  return [`It waits for ${type} and is asked again by itself.`, ...later]
}

const waitingFor: Readonly<Record<string, string>> = {
  DependencyMissing: 'Create what is missing, and it goes on by itself.',
  DependencyNotReady: 'It goes on by itself when what it refers to is ready.',
  VcsAuthUnavailable: 'Signing in to version control is tried again by itself.',
  Queued: 'It starts when those before it have; nothing needs to be done.',
  ConcurrencyLimit: 'It starts when one that runs has ended; nothing needs to be done.',
  QueueLimit: 'It is taken into the queue when that has room; nothing needs to be done.',
  RateLimited: 'It starts when the window of time allows it; nothing needs to be done.',
  WaitingForApproval: 'An approver has to decide about it.',
  BudgetExhausted:
    'It starts when its budget has something left: raise it, or wait for its next window.',
  Paused: 'It starts when the platform starts runs again.',
  Submitting:
    'Its Job has to get a pod, and that has to start. What keeps them is told above, under what happened.',
  Scheduling: 'A node has to take its pod.',
  ImageUnavailable:
    'Its image has to be there: look at the name, and at the credentials to pull it.',
  PodNotReady: 'Its container has to start; what happened, above, may say what keeps it.',
}

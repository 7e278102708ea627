import type { Condition } from '@agents/kube'
import { endOfRun, isFinished, rfc3339 } from '@agents/status'
import { shortDuration } from '../cli/duration.ts'
import { agentRuns, type ShownKind, type ShownRun } from '../run/run-kind.ts'
import { whileRunning } from './while-running.ts'

/** What happens to a run next, and what the user has to do for it. */
export function nextSteps(run: ShownRun, now: Date, of: ShownKind = agentRuns): string[] {
  const { conditions = [] } = run.status ?? {}
  const { name } = run.metadata
  if (run.metadata.deletionTimestamp !== undefined) {
    return ['It is being deleted: its Job is stopped first.']
  }
  if (isFinished(conditions)) return afterTheEnd(run, of)
  if (conditions.length === 0) {
    return [
      'No controller has processed it yet. If this takes longer than a few seconds: agentctl doctor',
    ]
  }
  if (run.spec?.cancel === true) return ['It is being cancelled: it ends when its Job has stopped.']
  const open = openGate(conditions, of)
  if (open === undefined) return whileRunning(run, now, of)
  const isStalled = conditions.some(({ type, status }) => type === 'Stalled' && status === 'True')
  if (isStalled) return [`It is stalled until an object or a setting changes: ${open.message}`]
  return [...whileWaiting(run, open, now), `To cancel it: agentctl cancel ${of.argument(name)}`]
}

function openGate(
  conditions: readonly Condition[],
  { conditions: declared }: ShownKind,
): Condition | undefined {
  for (const { type } of declared.gates) {
    const condition = conditions.find((each) => each.type === type)
    if (condition !== undefined && condition.status !== 'True') return condition
  }
  return undefined
}

function afterTheEnd(run: ShownRun, of: ShownKind): string[] {
  const { spec = {}, status, metadata } = run
  const end = endOfRun(run)
  const ttl = spec.ttlSecondsAfterFinished
  const kept =
    ttl === 0
      ? 'It is kept until it is deleted by hand.'
      : ttl === undefined || end === undefined
        ? 'It is kept for as long as the platform is configured to keep finished runs.'
        : `It is kept until ${rfc3339(new Date(end + Number(ttl) * 1000))}, then deleted.`
  return [
    'Nothing: the run has ended and its outcome is final.',
    kept,
    // Pods are kept for a shorter time than their run, and what was stopped goes at once.
    ...(status?.startedAt === undefined
      ? []
      : [`To see its output while its pods are kept: agentctl logs ${of.argument(metadata.name)}`]),
  ]
}

function whileWaiting(
  { status }: ShownRun,
  { type, reason, message }: Condition,
  now: Date,
): string[] {
  const eligibleAt = status?.queue?.eligibleAt
  const later =
    eligibleAt === undefined
      ? []
      : [
          `It is checked again in ${shortDuration(Date.parse(eligibleAt) - now.getTime())} at the latest.`,
        ]
  const advice = waitingFor[reason]
  if (advice !== undefined) return [advice, ...later]
  if (reason === 'CheckFailed') {
    return [
      `${type} could not be checked (${message}); the check is repeated automatically.`,
      ...later,
    ]
  }
  return [`It waits for ${type}, which is checked again automatically.`, ...later]
}

const waitingFor: Readonly<Record<string, string>> = {
  DependencyMissing: 'Create what is missing; the run then continues automatically.',
  DependencyNotReady: 'It continues automatically when the objects that it refers to are ready.',
  VcsAuthUnavailable: 'Signing in to version control is retried automatically.',
  Queued: 'It starts after the runs before it in the queue; nothing needs to be done.',
  ConcurrencyLimit:
    'It starts when one of the active runs has ended; a run that waits for its next attempt is active too.',
  QueueLimit: 'It joins the queue when the queue has capacity; nothing needs to be done.',
  RateLimited: 'It starts when the rate limit allows it; nothing needs to be done.',
  WorkspaceInUse: 'It starts when the run that uses the Workspace has ended.',
  WaitingForApproval: 'An approver has to approve or reject it.',
  PolicyMissing:
    'Create the ApprovalPolicy; the run then waits for its approval, or starts if it is not one of its subjects.',
  BudgetExhausted:
    'It starts when its Budget has capacity: raise the limit, or wait for the next period.',
  BudgetUnavailable: 'Create the Budget, or correct it; the run then continues automatically.',
  Paused: 'It starts when the platform starts runs again.',
  Submitting:
    'Its Job has to create a pod, and the pod has to start. See the events above for problems.',
  Scheduling: 'Its pod has to be scheduled to a node.',
  ImageUnavailable: 'Its image cannot be pulled: check the name, and the credentials to pull it.',
  PodNotReady: 'Its container has to start. See the events above for problems.',
}

import { failed, pass, type RunGateVerdict, wait } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { conditionOf, isTrue } from '../kubernetes/condition-of.ts'
import { holdWhenBusyMs } from '../kubernetes/status-hold.ts'
import type { AdmissionDecision, WaitingReason } from './admission-decision.ts'
import type { PolicyVerdict, PolicyWait } from './admission-policies.ts'
import { mayHaveQueued } from './run-conditions.ts'

/** `status.queue` of a run. */
interface QueueStatus {
  position?: number
  eligibleAt?: string
}

export interface QueueDetail {
  queue: QueueStatus | undefined
}

type AdmittedVerdict<Reason extends string> = RunGateVerdict<'Admitted' | Reason, QueueDetail>

export interface AdmittedQuestion<Reason extends string, Waiting extends WaitingReason> {
  /** Whether the run has a slot that its status does not show yet. */
  holds(): boolean
  /** What the policies of the run decide. */
  evaluate(): Promise<PolicyVerdict<Reason>>
  /** Gives up the place in the queue while a policy lets the run wait. */
  leave(): void
  request(): AdmissionDecision<Waiting>
  /** Whether the status is written at once even if the run is likely to get a slot soon. Default false. */
  readonly isUrgent?: boolean
}

type CancellableRun = KubeObject & {
  readonly spec?: { readonly cancel?: boolean | undefined }
}

/** Whether the run may start. A run that has a slot keeps it, and one that is cancelled needs none. */
export async function admittedVerdict<Reason extends string, Waiting extends WaitingReason>(
  run: CancellableRun,
  question: AdmittedQuestion<Reason, Waiting>,
): Promise<AdmittedVerdict<Reason | Waiting>> {
  if (isTrue(run, 'Admitted') || run.spec?.cancel) return stillAdmitted(run, slotAssigned)
  let message = slotAssigned
  if (!question.holds()) {
    const verdict = await question.evaluate()
    if (verdict.kind !== 'pass') {
      question.leave()
      return verdict.kind === 'wait'
        ? waitVerdict(verdict)
        : failed(verdict.reason, verdict.message, { detail: noQueue })
    }
    message = withNote(slotAssigned, verdict.note)
  }
  const decision = question.request()
  if (decision.kind === 'admitted') return pass('Admitted', message, { detail: noQueue })
  const { reason, position, eligibleAt, retryAfterMs } = decision
  const queue = position === undefined ? undefined : queueStatus(position, eligibleAt)
  const hold = mayHoldWaiting(run, decision) && !question.isUrgent ? { holdWhenBusyMs } : {}
  return wait(reason, decision.message, retryAfterMs, { detail: { queue }, ...hold })
}

/**
 * Whether the status of the run may be held back in a burst. A slot can be free at any moment, whereas the time of a
 * rate limit is known. The next process puts a run into its place in the queue only if the server does not say that it
 * waits for something else.
 */
export function mayHoldWaiting(
  run: KubeObject,
  { position, overallPosition, eligibleAt }: Extract<AdmissionDecision, { kind: 'waiting' }>,
): boolean {
  const mayStartSoon =
    position !== undefined && overallPosition <= soonPosition && eligibleAt === undefined
  return mayStartSoon && mayHaveQueued(run)
}

/** The same for a run that needs no slot: policies alone decide. */
export async function permittedVerdict<Reason extends string>(
  run: CancellableRun,
  evaluate: () => Promise<PolicyVerdict<Reason>>,
): Promise<RunGateVerdict<'Admitted' | Reason>> {
  const isDecided = isTrue(run, 'Admitted') || isTrue(run, 'Started')
  if (isDecided || run.spec?.cancel) return stillAdmitted(run, mayStart)
  const verdict = await evaluate()
  if (verdict.kind === 'pass') return pass('Admitted', withNote(mayStart, verdict.note))
  if (verdict.kind === 'fail') return failed(verdict.reason, verdict.message)
  return wait(verdict.reason, verdict.message, verdict.requeueAfterMs ?? recheckMs)
}

function stillAdmitted(run: CancellableRun, message: string) {
  return pass('Admitted', conditionOf(run, 'Admitted')?.message ?? message)
}

function withNote(message: string, note: string | undefined): string {
  return note === undefined ? message : `${message}; ${note}`
}

function waitVerdict<Reason extends string>({
  reason,
  message,
  requeueAfterMs = recheckMs,
  eligibleAt,
}: PolicyWait<Reason>): AdmittedVerdict<Reason> {
  const queue = eligibleAt && { eligibleAt: rfc3339(eligibleAt) }
  return wait<Reason, QueueDetail>(reason, message, requeueAfterMs, { detail: { queue } })
}

function queueStatus(position: number, eligibleAt: Date | undefined): QueueStatus {
  return { position, ...(eligibleAt && { eligibleAt: rfc3339(eligibleAt) }) }
}

const slotAssigned = 'a slot was assigned to the run'
const mayStart = 'the run may start'

export const noQueue: QueueDetail = { queue: undefined }

/** Runs farther back in the queue hardly start while their status would be held. */
const soonPosition = 1000

/** Policies requeue the run when something changes. This covers changes that cause no event. */
const recheckMs = 60_000

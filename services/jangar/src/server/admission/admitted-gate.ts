import { pass, type RunGateVerdict, wait } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { conditionOf, isTrue } from '../kubernetes/condition-of.ts'
import type { AdmissionDecision } from './admission-decision.ts'

/** `status.queue` of a run. */
interface QueueStatus {
  position?: number
  eligibleAt?: string
}

export interface QueueDetail {
  queue: QueueStatus | undefined
}

type WaitingReason = Extract<AdmissionDecision, { kind: 'waiting' }>['reason']

/** Whether the run has a slot. A run that has one keeps it, and one that is cancelled needs none. */
export function admittedVerdict(
  run: KubeObject & { readonly spec?: { readonly cancel?: boolean | undefined } },
  request: () => AdmissionDecision,
): RunGateVerdict<'Admitted' | WaitingReason, QueueDetail> {
  if (isTrue(run, 'Admitted') || run.spec?.cancel) {
    return pass('Admitted', conditionOf(run, 'Admitted')?.message ?? slotAssigned)
  }
  const decision = request()
  if (decision.kind === 'admitted') return pass('Admitted', slotAssigned, { detail: noQueue })
  const { reason, message, position, eligibleAt, retryAfterMs } = decision
  const queue = position === undefined ? undefined : queueStatus(position, eligibleAt)
  return wait(reason, message, retryAfterMs, { detail: { queue } })
}

function queueStatus(position: number, eligibleAt: Date | undefined): QueueStatus {
  return { position, ...(eligibleAt && { eligibleAt: rfc3339(eligibleAt) }) }
}

const slotAssigned = 'a slot was assigned to the run'

export const noQueue: QueueDetail = { queue: undefined }

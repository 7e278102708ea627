import { failed, type RunGateVerdict, succeeded, wait } from '@agents/controller'
import type { ApprovalDecision, ApprovalRequest } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { ApprovalRules } from '../../primitives-policy/approvals/approval-rules.ts'
import { countDecisions } from '../../primitives-policy/approvals/count-decisions.ts'

type Status = NonNullable<ApprovalRequest['status']>

export type RequestDetail = { [Name in 'decisions' | 'expiresAt']: Status[Name] | undefined }

type Verdict = RunGateVerdict<'WaitingForDecision' | 'Denied' | 'Expired', RequestDetail>

/** What the decisions about a request amount to. */
export function decide(
  request: ApprovalRequest,
  rules: ApprovalRules,
  decisions: readonly ApprovalDecision[],
  now: Date,
): Verdict {
  if (rules.auto !== undefined) {
    const message = `by spec.defaultDecision of ApprovalPolicy ${request.spec.policyRef.name}`
    return rules.auto === 'Approve'
      ? approved(`approved ${message}`, rules, now, undefined)
      : failed('Denied', `denied ${message}`)
  }
  const counted = countDecisions(decisions, request, rules)
  const detail = { decisions: counted.map(entryOf) }
  const denial = counted.find(({ spec }) => spec.decision === 'Deny')
  if (denial) return failed('Denied', `denied by ${told(denial)}`, { detail })
  const names = counted.map(told).join(', ')
  if (counted.length >= rules.quorum) return approved(`approved by ${names}`, rules, now, detail)
  const late = expired(request, rules, now, detail)
  if (late !== undefined) return late
  const missing = `${counted.length} of ${rules.quorum} approvals`
  const message = counted.length === 0 ? missing : `${missing}: ${names}`
  return wait('WaitingForDecision', message, untilDeadline(request, now), { detail })
}

/** The outcome of a request whose deadline has passed. */
export function expired(
  { spec: { deadline, policyRef } }: ApprovalRequest,
  rules: ApprovalRules,
  now: Date,
  detail?: Partial<RequestDetail>,
) {
  if (deadline === undefined || now.getTime() < Date.parse(deadline)) return undefined
  const message = `no decision until ${deadline}`
  if (rules.onTimeout === 'Deny') return failed('Expired', message, detail && { detail })
  const why = `approved by spec.onTimeout of ApprovalPolicy ${policyRef.name}: ${message}`
  return approved(why, rules, now, detail)
}

/** In milliseconds. Rounded up, so that the next reconcile finds that the deadline has passed. */
export function untilDeadline({ spec: { deadline } }: ApprovalRequest, now: Date): number {
  const most = 600_000
  if (deadline === undefined) return most
  return Math.min(Math.max(Date.parse(deadline) - now.getTime(), 0) + 1, most)
}

function approved(
  message: string,
  { expiresAfterSeconds }: ApprovalRules,
  now: Date,
  detail: Partial<RequestDetail> | undefined,
) {
  const expiresAt =
    expiresAfterSeconds === undefined
      ? undefined
      : rfc3339(new Date(now.getTime() + expiresAfterSeconds * 1000))
  return succeeded<RequestDetail>(message, {
    reason: 'Approved',
    detail: { ...detail, ...(expiresAt !== undefined && { expiresAt }) },
  })
}

function entryOf({ metadata, spec }: ApprovalDecision) {
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    username: spec.approver.username,
    decision: spec.decision,
    ...(spec.comment !== undefined && { comment: spec.comment }),
    decidedAt: metadata.creationTimestamp ?? '',
  }
}

const longestComment = 200

function told({ spec: { approver, comment } }: ApprovalDecision): string {
  const clean = (comment ?? '').replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  const text = clean.length > longestComment ? `${clean.slice(0, longestComment)}…` : clean
  return text === '' ? approver.username : `${approver.username} (${text})`
}

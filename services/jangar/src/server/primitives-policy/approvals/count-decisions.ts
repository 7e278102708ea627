import type { ApprovalDecision, ApprovalRequest } from '@agents/jangar-api'
import type { ApprovalRules } from './approval-rules.ts'

/** Why a decision does not count. */
export interface IgnoredDecision {
  readonly reason: 'OtherDigest' | 'NotAnApprover' | 'OwnRequest' | 'Late'
  readonly message: string
}

/** Undefined if the decision counts, on its own. The API server has verified who made it. */
export function decisionProblem(
  { metadata, spec }: ApprovalDecision,
  request: Pick<ApprovalRequest, 'spec'>,
  rules: ApprovalRules,
): IgnoredDecision | undefined {
  const { digest, requestedBy, deadline } = request.spec
  const { username, groups = [] } = spec.approver
  if (spec.digest !== digest) {
    const message = `spec.digest: the decision is about ${short(spec.digest)}, and the request about ${short(digest)}`
    return { reason: 'OtherDigest', message }
  }
  if (deadline !== undefined && timeOf(metadata.creationTimestamp) >= timeOf(deadline)) {
    return { reason: 'Late', message: `the request expired at ${deadline}` }
  }
  if (!rules.users.has(username) && !groups.some((group) => rules.groups.has(group))) {
    const message = `${username} is not an approver, nor in a group of approvers that the decision names`
    return { reason: 'NotAnApprover', message }
  }
  // Whoever requested the work may still deny it.
  const isOwn = username === requestedBy && spec.decision === 'Approve'
  if (isOwn && !rules.allowSelfApproval) {
    const message = `${username} requested the work; another user has to approve it`
    return { reason: 'OwnRequest', message }
  }
  return undefined
}

/** The decisions that count, one for each user, in order: a denial before an approval of the same user. */
export function countDecisions(
  decisions: readonly ApprovalDecision[],
  request: Pick<ApprovalRequest, 'spec'>,
  rules: ApprovalRules,
): ApprovalDecision[] {
  const byUser = new Map<string, ApprovalDecision>()
  const valid = decisions.filter((one) => decisionProblem(one, request, rules) === undefined)
  for (const decision of valid.toSorted(compareAge)) {
    const { username } = decision.spec.approver
    const known = byUser.get(username)
    const isDenial = decision.spec.decision === 'Deny' && known?.spec.decision === 'Approve'
    if (known === undefined || isDenial) byUser.set(username, decision)
  }
  return [...byUser.values()].toSorted(compareAge)
}

function compareAge(a: ApprovalDecision, b: ApprovalDecision): number {
  const age = timeOf(a.metadata.creationTimestamp) - timeOf(b.metadata.creationTimestamp)
  if (age !== 0) return age
  return a.metadata.name < b.metadata.name ? -1 : 1
}

function timeOf(timestamp: string | undefined): number {
  return Date.parse(timestamp ?? '') || 0
}

function short(digest: string): string {
  return digest.slice(0, 12)
}

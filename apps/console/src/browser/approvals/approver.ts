import type { ApiObject, SessionRecord } from '@agents/client'
import { requestSpec } from './approval-request.ts'

interface PolicySpec {
  readonly approvers?: readonly {
    readonly kind?: string
    readonly name?: string
    readonly namespace?: string
  }[]
  readonly allowSelfApproval?: boolean
}

interface Obstacles {
  /** Why no decision of the user counts. */
  readonly decide?: string
  /** Why an approval of the user does not count. */
  readonly approve?: string
}

/** Why the policy would not count decisions of the user: said before, not after the decision. */
export function policyObstacles(
  policy: ApiObject,
  request: ApiObject,
  { user }: SessionRecord,
): Obstacles {
  const { approvers = [], allowSelfApproval = false } = (policy.spec ?? {}) as PolicySpec
  const { name, namespace: own } = policy.metadata
  const isApprover = approvers.some((approver) => {
    if (approver.kind === 'Group') return user.groups.includes(approver.name ?? '')
    if (approver.kind === 'User') return approver.name === user.username
    const account = `${approver.namespace ?? own}:${approver.name}`
    return user.username === `system:serviceaccount:${account}`
  })
  if (!isApprover) return { decide: `you are not an approver of ApprovalPolicy ${name}` }
  const isOwn = requestSpec(request).requestedBy === user.username && !allowSelfApproval
  return isOwn ? { approve: `you requested it, and ApprovalPolicy ${name} wants another user` } : {}
}

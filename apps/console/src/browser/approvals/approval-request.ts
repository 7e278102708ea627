import type { ApiObject, SessionRecord } from '@agents/client'

export const requestKind = 'approvalrequests.approvals.proompteng.ai'
export const decisionKind = 'approvaldecisions.approvals.proompteng.ai'

/** The parts of an ApprovalRequest that pages show. */
export interface RequestSpec {
  readonly subject?: { readonly kind?: string; readonly name?: string; readonly step?: string }
  readonly policyRef?: { readonly name?: string }
  readonly digest?: string
  readonly summary?: string
  readonly requestedBy?: string
  readonly deadline?: string
}

export type Decision = 'Approve' | 'Deny'

export function requestSpec({ spec }: ApiObject): RequestSpec {
  return (spec ?? {}) as RequestSpec
}

/** Whether it waits for a decision. */
export function isOpen({ status }: ApiObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
  return !conditions.some(({ type, status: is }) => type === 'Finished' && is === 'True')
}

/** More groups than a decision can name. */
const mostGroups = 100

/** The decision of the user about exactly what was shown: if the work has changed since, it does not count. */
export function decisionOf(
  request: ApiObject,
  decision: Decision,
  comment: string,
  { user }: SessionRecord,
): ApiObject {
  const { name, namespace = '' } = request.metadata
  const suffix = crypto.randomUUID().slice(0, 8)
  const groups = user.groups.slice(0, mostGroups)
  return {
    apiVersion: request.apiVersion,
    kind: 'ApprovalDecision',
    metadata: { name: `${name.slice(0, 240)}-${suffix}`, namespace },
    spec: {
      requestRef: { name },
      digest: requestSpec(request).digest,
      decision,
      ...(comment !== '' && { comment }),
      approver: { username: user.username, ...(groups.length > 0 && { groups }) },
    },
  }
}

import type { ApiObject, SessionRecord } from '@agents/client'
import { type Condition, conditionOf, runObject } from '../parts/run-object.ts'

export const requestKind = 'approvalrequests.approvals.proompteng.ai'
export const decisionKind = 'approvaldecisions.approvals.proompteng.ai'
export const policyKind = 'approvalpolicies.approvals.proompteng.ai'

/** The parts of an ApprovalRequest that pages show. */
export interface RequestSpec {
  readonly subject?: {
    readonly kind?: string
    readonly name?: string
    readonly uid?: string
    readonly step?: string
  }
  readonly policyRef?: { readonly name?: string }
  readonly digest?: string
  readonly summary?: string
  readonly requestedBy?: string
  readonly deadline?: string
  readonly cancel?: boolean
}

interface RequestStatus {
  readonly finishedAt?: string
  readonly decisions?: readonly {
    readonly name?: string
    readonly username?: string
    readonly decision?: string
  }[]
}

export type Decision = 'Approve' | 'Deny'

export function requestSpec({ spec }: ApiObject): RequestSpec {
  return (spec ?? {}) as RequestSpec
}

export function requestStatus({ status }: ApiObject): RequestStatus {
  return (status ?? {}) as RequestStatus
}

export function conditionIn(object: ApiObject, type: string): Condition | undefined {
  return conditionOf(runObject(object), type)
}

/** Whether it waits for a decision. */
export function isOpen(request: ApiObject): boolean {
  return conditionIn(request, 'Finished')?.status !== 'True'
}

/** Why a decision about the request as it was shown can no longer be made. Undefined if it can. */
export function changeSince(shown: ApiObject, now: ApiObject | undefined): string | undefined {
  const isOther =
    now === undefined ||
    now.metadata.uid !== shown.metadata.uid ||
    requestSpec(now).digest !== requestSpec(shown).digest ||
    requestSpec(now).cancel === true
  if (isOther) return 'what would run has changed, or the run has ended: the request is withdrawn'
  if (isOpen(now)) return undefined
  const { message = 'it is finished' } = conditionIn(now, 'Succeeded') ?? {}
  return `it was decided meanwhile: ${message}`
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

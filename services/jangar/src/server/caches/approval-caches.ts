import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type ApprovalDecision,
  type ApprovalPolicy,
  type ApprovalRequest,
  approvalDecision,
  approvalPolicy,
  approvalRequest,
} from '@agents/jangar-api'
import { byOwner, formatKey, type Informers, kindRef, ownerIndex } from '@agents/kube'

/** What decides whether runs need approval, and have it. */
export interface ApprovalCaches {
  readonly approvalPolicies: ResourceCache<ApprovalPolicy>
  /** Indexed by owner, by policy and by the run that they are about. */
  readonly approvalRequests: ResourceCache<ApprovalRequest>
}

/** Index of ApprovalRequests by the key of their policy. */
export const requestsByPolicy = 'approvalPolicy'
/** Index of ApprovalRequests about whole runs by the UID of the run. */
export const requestsBySubject = 'subject'
/** Index of ApprovalDecisions by the key of their request. */
export const decisionsByRequest = 'approvalRequest'

const requestIndexers = {
  [ownerIndex]: byOwner,
  [requestsByPolicy]: policyOf,
  [requestsBySubject]: subjectOf,
}
const decisionIndexers = { [decisionsByRequest]: requestOf }

export function approvalCaches(
  informers: Informers,
  namespaces: readonly string[],
): ApprovalCaches {
  return {
    approvalPolicies: resourceCache(informers, kindRef<ApprovalPolicy>(approvalPolicy), namespaces),
    approvalRequests: resourceCache(
      informers,
      kindRef<ApprovalRequest>(approvalRequest),
      namespaces,
      { indexers: requestIndexers },
    ),
  }
}

/** Indexed by request. */
export function decisionCache(
  informers: Informers,
  namespaces: readonly string[],
): ResourceCache<ApprovalDecision> {
  return resourceCache(informers, kindRef<ApprovalDecision>(approvalDecision), namespaces, {
    indexers: decisionIndexers,
  })
}

function policyOf({ metadata, spec }: ApprovalRequest): readonly string[] {
  return [formatKey({ namespace: metadata.namespace, name: spec.policyRef.name })]
}

function subjectOf({ spec: { subject } }: ApprovalRequest): readonly string[] {
  return subject.step === undefined ? [subject.uid] : []
}

function requestOf({ metadata, spec }: ApprovalDecision): readonly string[] {
  return [formatKey({ namespace: metadata.namespace, name: spec.requestRef.name })]
}

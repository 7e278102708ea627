import {
  type AdmissionPolicy,
  platformAccountsPlaceholder,
  statusWritesOf,
  writesOf,
} from '@agents/crd'
import { approvalDecision } from '../approvals/approval-decision/kind.ts'
import { approvalPolicy } from '../approvals/approval-policy/kind.ts'
import { approvalRequest } from '../approvals/approval-request/kind.ts'
import { mayIn } from './may-create.ts'
import { isPlatform } from './requested-by.ts'

const approver = 'object.spec.approver'

/**
 * Nobody decides for another user, the platform included. The reason Invalid lets the controllers tell by a dry run
 * whether the policy is in effect: missing rights have another code.
 */
export const guardApprovalDecision: AdmissionPolicy = {
  name: `approvers.${approvalDecision.group}`,
  description: 'An ApprovalDecision names the user who creates it, and groups of that user only.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([approvalDecision], ['CREATE']),
    validations: [
      {
        expression: `${approver}.username == request.userInfo.username`,
        message: 'spec.approver.username: must be the user who creates the decision',
        messageExpression: `'spec.approver.username: must be the user who creates the decision, ' + request.userInfo.username`,
        reason: 'Invalid',
      },
      {
        expression: `!has(${approver}.groups) || ${approver}.groups.all(group, has(request.userInfo.groups) && group in request.userInfo.groups)`,
        message: 'spec.approver.groups: must be groups of the user who creates the decision',
        reason: 'Invalid',
      },
    ],
  },
}

/** A platform without accounts of its own acts as its only user. */
const isOther = `size(${platformAccountsPlaceholder}) > 0 && !(${isPlatform})`

/** Owners and finalizers may change: the garbage collector of the cluster changes them too. */
const setsSpec = "(request.operation == 'CREATE' || object.spec != oldObject.spec)"

export const guardApprovalRequest: AdmissionPolicy = {
  name: `requests.${approvalRequest.group}`,
  description: 'Only the platform creates and withdraws ApprovalRequests.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([approvalRequest]),
    matchConditions: [{ name: 'other-users', expression: `${isOther} && ${setsSpec}` }],
    validations: [
      {
        expression: 'false',
        message: 'only the platform creates and withdraws ApprovalRequests',
        reason: 'Forbidden',
      },
    ],
  },
}

/** The garbage collector may update every kind, as whoever writes policies may. The deletion of a namespace may not. */
const mayDeleteRequests = `${mayIn(approvalPolicy, 'update')} || request.userInfo.username == 'system:serviceaccount:kube-system:namespace-controller'`

/** A request that is pending or denied keeps its run from starting, also while its policy does not exist. */
export const guardRequestDeletion: AdmissionPolicy = {
  name: `kept-requests.${approvalRequest.group}`,
  description:
    'Only users who may update ApprovalPolicies delete ApprovalRequests before their run is deleted.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([approvalRequest], ['DELETE']),
    matchConditions: [{ name: 'other-users', expression: `${isOther} && !(${mayDeleteRequests})` }],
    validations: [
      {
        expression: 'false',
        message:
          'to delete ApprovalRequests, you need the right to update the ApprovalPolicies of the namespace; they are deleted with their run',
        reason: 'Forbidden',
      },
    ],
  },
}

function guardStatus(
  kind: typeof approvalRequest | typeof approvalDecision,
  description: string,
): AdmissionPolicy {
  return {
    name: `${kind.plural}-status.${kind.group}`,
    description,
    appliesTo: 'managedNamespaces',
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: statusWritesOf(kind),
      matchConditions: [{ name: 'other-users', expression: isOther }],
      validations: [
        {
          expression: 'false',
          message: `status: only the platform writes the status of ${kind.plural}.${kind.group}`,
          reason: 'Forbidden',
        },
      ],
    },
  }
}

export const guardApprovalOutcome = guardStatus(
  approvalRequest,
  'Only the platform records the outcome of ApprovalRequests.',
)

export const guardDecisionResult = guardStatus(
  approvalDecision,
  'Only the platform records whether ApprovalDecisions count.',
)

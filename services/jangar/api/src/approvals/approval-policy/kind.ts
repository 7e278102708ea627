import {
  boolean,
  defineKind,
  integer,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { subject } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { approvalPolicyPhase } from './phase.ts'

const approver = object('A user, group or service account.', {
  kind: oneOfStrings('Type of the approver.', ['User', 'Group', 'ServiceAccount']),
  name: string('Name of the approver in the cluster.'),
  namespace: optional(
    string('Namespace of a ServiceAccount. If omitted, defaults to the namespace of this object.'),
  ),
})

export const approvalPolicy = defineKind({
  ...platform,
  group: group.approvals,
  kind: 'ApprovalPolicy',
  plural: 'approvalpolicies',
  shortNames: ['apol'],
  description: 'Who must approve work before it continues.',
  spec: object(
    'The policy.',
    {
      mode: optional(
        string(
          'How decisions are made: manual, by the approvers, or auto, by defaultDecision. If omitted, defaults to manual.',
        ),
      ),
      defaultDecision: optional(
        string('Decision of mode auto, such as approve or deny. If omitted, defaults to deny.'),
      ),
      subjects: optional(
        list(
          'Objects whose runs need approval, whether or not they refer to this policy. Runs that refer to it always do.',
          subject(
            'An Agent, Tool, Orchestration, AgentRun, ToolRun or OrchestrationRun of the same namespace. The name * stands for all of the kind.',
          ),
          { maxItems: 1000 },
        ),
      ),
      approvers: optional(
        list('Users, groups and service accounts that may decide.', approver, { maxItems: 1000 }),
      ),
      quorum: optional(
        integer(
          'Number of different users that must approve. If omitted, defaults to 1. A single denial denies.',
          {
            format: 'int32',
            minimum: 1,
          },
        ),
      ),
      allowSelfApproval: optional(
        boolean(
          'Whether users may approve what they requested themselves. If omitted, defaults to false.',
        ),
      ),
      expiresAfterSeconds: optional(
        integer(
          'Seconds after which a pending request times out, and after which an approval expires. If omitted, never.',
          { format: 'int32', minimum: 1 },
        ),
      ),
      onTimeout: optional(
        oneOfStrings('Decision about a request that timed out. If omitted, defaults to Deny.', [
          'Deny',
          'Approve',
        ]),
      ),
    },
    { 'x-kubernetes-preserve-unknown-fields': true },
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(approvalPolicyPhase),
    lastDecisionAt: optional(timestamp('When the last decision was made.')),
  }),
  columns: [
    phase,
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    ready,
    readyReason,
    { name: 'LastDecision', type: 'date', jsonPath: '.status.lastDecisionAt', priority: 1 },
    readyMessage,
  ],
  summary: 'Ready',
})

export type ApprovalPolicy = ObjectOf<typeof approvalPolicy>

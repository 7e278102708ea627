import {
  boolean,
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { cancelIsFinal, immutableFields } from '../../immutable.ts'
import { succeeded, succeededMessage, succeededReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { approvalDigest } from '../digest.ts'
import { approvalRequestConditions } from './conditions.ts'
import { approvalRequestPhase } from './phase.ts'

const subject = object('The run that waits for the decision.', {
  kind: string('Kind of the run: AgentRun, ToolRun or OrchestrationRun.'),
  name: string('Name of the run, in the same namespace.'),
  uid: string('UID of the run. A run of the same name that is created later has another one.'),
  step: optional(string('Step of kind ApprovalGate that waits, if it is not the whole run.')),
})

const counted = object('A decision that counts.', {
  name: string('Name of the ApprovalDecision.'),
  uid: string('UID of the ApprovalDecision.'),
  username: string('User who decided.'),
  decision: oneOfStrings('The decision.', ['Approve', 'Deny']),
  comment: optional(string('Comment of the user.')),
  decidedAt: timestamp('When the decision was made.'),
})

const unchanged = immutableFields(
  ['subject', 'policyRef', 'digest', 'summary', 'requestedBy', 'deadline'],
  'the field is immutable: a request is about one version of the work',
)

export const approvalRequest = defineKind({
  ...platform,
  group: group.approvals,
  kind: 'ApprovalRequest',
  plural: 'approvalrequests',
  shortNames: ['areq'],
  description:
    'A request to approve work before it starts. Created and finished by the platform; approvers create ApprovalDecisions.',
  spec: withRules(
    object('What is to be approved. Immutable, except for cancel.', {
      subject,
      policyRef: localRef('The ApprovalPolicy that asks for the approval.'),
      digest: approvalDigest(
        'SHA-256 of everything that would run, in hexadecimal. If any of it changes, another request is created.',
      ),
      summary: string('What would run, for people.', { maxLength: 16_384 }),
      requestedBy: optional(string('User who requested the run.')),
      deadline: optional(
        timestamp('When the request expires without a decision. If omitted, never.'),
      ),
      cancel: optional(
        boolean(
          'If true, the request is withdrawn: the run has ended, or would run something else. Cannot be reverted.',
        ),
      ),
    }),
    cancelIsFinal,
    unchanged,
  ),
  status: withRules(
    statusObject({
      phase: phaseField(approvalRequestPhase),
      ...runTimes,
      decisions: optional(
        list('Decisions that count, in the order in which they were made.', counted),
      ),
      expiresAt: optional(
        timestamp(
          'When the approval expires: work that has not started by then needs another one.',
        ),
      ),
    }),
    ...runRules(approvalRequestConditions),
  ),
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.subject.kind' },
    { name: 'Subject', type: 'string', jsonPath: '.spec.subject.name' },
    { name: 'Policy', type: 'string', jsonPath: '.spec.policyRef.name' },
    { name: 'RequestedBy', type: 'string', jsonPath: '.spec.requestedBy' },
    succeeded,
    { ...succeededReason, name: 'Decision' },
    { name: 'Deadline', type: 'string', jsonPath: '.spec.deadline' },
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type ApprovalRequest = ObjectOf<typeof approvalRequest>

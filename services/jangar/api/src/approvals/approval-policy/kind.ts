import {
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

const approver = object('One person, group or service account.', {
  kind: oneOfStrings('What the name is the name of.', ['User', 'Group', 'ServiceAccount']),
  name: string('The name, as the cluster knows it.'),
  namespace: optional(
    string('For ServiceAccount: its namespace; left out, the namespace of this object.'),
  ),
})

const decision = object('One decision about one thing, as it was when it was decided.', {
  subject: subject('What was decided about.'),
  digest: string(
    'Digest of the spec that was decided about. A thing that has changed since needs another decision.',
  ),
  decision: oneOfStrings('What was decided.', ['Approved', 'Denied']),
  decidedBy: string('Who decided, as the cluster knows them, or timeout when nobody did.'),
  decidedAt: timestamp('When it was decided.'),
  expiresAt: optional(timestamp('When the decision stops to count.')),
  comment: optional(string('What the approver had to say.')),
})

export const approvalPolicy = defineKind({
  ...platform,
  group: group.approvals,
  kind: 'ApprovalPolicy',
  plural: 'approvalpolicies',
  shortNames: ['apol'],
  description: 'Who must agree before work goes on.',
  spec: object(
    'The rule.',
    {
      mode: optional(
        string(
          'How decisions are made, such as manual, by the approvers, or auto, by defaultDecision. Left out, manual.',
        ),
      ),
      defaultDecision: optional(
        string('What is decided without asking, such as approve or deny. Left out, deny.'),
      ),
      subjects: optional(
        list(
          'What needs approval; empty or left out, all that refers to this policy.',
          subject('One thing.'),
        ),
      ),
      approvers: optional(list('Who may decide.', approver)),
      quorum: optional(
        integer('How many different approvers must agree. Left out, 1. One denial denies.', {
          format: 'int32',
          minimum: 1,
        }),
      ),
      expiresAfterSeconds: optional(
        integer(
          'How long a request waits for its decision, and how long an approval counts once given. Left out, for good.',
          { format: 'int32', minimum: 1 },
        ),
      ),
      onTimeout: optional(
        oneOfStrings('What happens to a request that waited too long. Left out, Deny.', [
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
    decisions: optional(list('Decisions that still count, newest last.', decision)),
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

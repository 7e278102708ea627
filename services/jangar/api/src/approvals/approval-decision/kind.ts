import {
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { succeeded, succeededMessage, succeededReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { approvalDigest } from '../digest.ts'
import { approvalDecisionConditions } from './conditions.ts'
import { approvalDecisionPhase } from './phase.ts'

const approver = object(
  'The user who decides. The API server refuses a decision in the name of another user, or with groups of others.',
  {
    username: string('User name, as the API server knows it.', { minLength: 1, maxLength: 1024 }),
    groups: optional(
      list(
        'Groups of the user, if the user may decide as a member of one.',
        string('Name of a group.', { maxLength: 1024 }),
        { maxItems: 100 },
      ),
    ),
  },
)

export const approvalDecision = defineKind({
  ...platform,
  group: group.approvals,
  kind: 'ApprovalDecision',
  plural: 'approvaldecisions',
  shortNames: ['adec'],
  description: 'The decision of one user about an ApprovalRequest.',
  spec: withRules(
    object('The decision. It cannot be changed.', {
      requestRef: localRef('The ApprovalRequest.'),
      digest: approvalDigest(
        'Digest of the request, as the user saw it. A decision about another digest does not count.',
      ),
      decision: oneOfStrings('The decision. A single denial denies.', ['Approve', 'Deny']),
      comment: optional(string('Why, for others to read.', { maxLength: 4096 })),
      approver,
    }),
    {
      rule: 'self == oldSelf',
      message: 'a decision cannot be changed',
      reason: 'FieldValueForbidden',
    },
  ),
  status: withRules(
    statusObject({ phase: phaseField(approvalDecisionPhase), ...runTimes }),
    ...runRules(approvalDecisionConditions),
  ),
  columns: [
    { name: 'Request', type: 'string', jsonPath: '.spec.requestRef.name' },
    { name: 'Decision', type: 'string', jsonPath: '.spec.decision' },
    { name: 'Approver', type: 'string', jsonPath: '.spec.approver.username' },
    { ...succeeded, description: 'Whether the decision counts.' },
    succeededReason,
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type ApprovalDecision = ObjectOf<typeof approvalDecision>

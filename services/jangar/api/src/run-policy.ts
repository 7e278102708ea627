import { object, optional } from '@agents/crd'
import { localRef } from './reference.ts'

/** The policies of runs that are not AgentRuns. */
export const runPolicy = object('Policies that apply to the run.', {
  approvalPolicyRef: optional(localRef('The ApprovalPolicy that must approve the run.')),
})

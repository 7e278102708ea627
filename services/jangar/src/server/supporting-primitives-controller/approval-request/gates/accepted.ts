import { cancelled, type GateOf, pass } from '@agents/controller'
import type { ApprovalRequest, approvalRequestConditions } from '@agents/jangar-api'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import type { RequestDetail } from '../decide.ts'
import type { RequestScope } from '../request-scope.ts'

type Accepted = GateOf<
  typeof approvalRequestConditions,
  'Accepted',
  ApprovalRequest,
  RequestDetail,
  RequestScope
>

/** Whether the policy of the request can be applied. */
export const accepted: Accepted = {
  condition: 'Accepted',
  check: ({ spec }, _detail, { scope }) => {
    const { name } = spec.policyRef
    if (spec.cancel) return cancelled('withdrawn: the run has ended, or would run something else')
    const { rules } = scope
    if (rules === undefined)
      return waitFor('PolicyMissing', `ApprovalPolicy ${name} does not exist`)
    if ('reason' in rules) {
      return waitFor('PolicyNotReady', `ApprovalPolicy ${name} is not ready: ${rules.message}`)
    }
    return pass('Accepted', `ApprovalPolicy ${name} is in effect`)
  },
}

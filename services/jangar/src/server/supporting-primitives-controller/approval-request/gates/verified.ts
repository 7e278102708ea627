import { type GateOf, pass, wait } from '@agents/controller'
import type { ApprovalRequest, approvalRequestConditions } from '@agents/jangar-api'
import type { DecisionGuard } from '../../../approvals/decision-guard.ts'
import { expired, type RequestDetail, untilDeadline } from '../decide.ts'
import type { RequestScope } from '../request-scope.ts'

type Verified = GateOf<
  typeof approvalRequestConditions,
  'Verified',
  ApprovalRequest,
  RequestDetail,
  RequestScope
>

export interface VerifiedPorts {
  readonly guard: Pick<DecisionGuard, 'isEnforced'>
  readonly allowUnverified: boolean
}

/** Whether decisions can be relied on: nobody signs for another, and nobody hides that they approve their own work. */
export function verified({ guard, allowUnverified }: VerifiedPorts): Verified {
  return {
    condition: 'Verified',
    check: async (request, _detail, { scope: { rules }, now, signal }) => {
      if (rules === undefined || 'reason' in rules)
        throw new TypeError('the policy is not in effect')
      if (rules.auto !== undefined) return pass('NotRequired', 'the policy decides by itself')
      const late = expired(request, rules, now)
      if (late !== undefined) return late
      if (allowUnverified) {
        return pass(
          'UnverifiedAllowed',
          'a setting of the platform allows decisions that are not verified',
        )
      }
      const retryMs = Math.min(recheckMs, untilDeadline(request, now))
      if (!(await guard.isEnforced(request.metadata.namespace ?? '', signal))) {
        const message =
          'the API server does not verify who decides: install the admission policies of the platform, or allow unverified approvals'
        return wait('Unverified', message, retryMs)
      }
      if (request.spec.requestedBy === undefined && !rules.allowSelfApproval) {
        const message =
          'it is unknown who requested the run, since the API server did not record it: set allowSelfApproval of the policy, or use a cluster that serves MutatingAdmissionPolicies'
        return wait('RequesterUnknown', message, retryMs)
      }
      return pass('Verified', 'the API server verifies who decides')
    },
  }
}

const recheckMs = 30_000

import { failed, type GateOf, pass } from '@agents/controller'
import type { ApprovalDecision, approvalDecisionConditions } from '@agents/jangar-api'
import type { DecisionGuard } from '../../../approvals/decision-guard.ts'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'

export interface VerifiedPorts {
  readonly guard: Pick<DecisionGuard, 'isEnforced'>
  readonly allowUnverified: boolean
}

type Verified = GateOf<typeof approvalDecisionConditions, 'Verified', ApprovalDecision>

/**
 * Whether the API server verified who made the decision. Found out once, when the decision is new: policies that are
 * installed later prove nothing about it.
 */
export function verified({ guard, allowUnverified }: VerifiedPorts): Verified {
  return {
    condition: 'Verified',
    check: async (decision, _detail, { signal }) => {
      const known = conditionOf(decision, 'Verified')
      const isAllowed = known?.reason === 'UnverifiedAllowed'
      if (known && isTrue(decision, 'Verified') && (!isAllowed || allowUnverified)) {
        return pass(isAllowed ? 'UnverifiedAllowed' : 'Verified', known.message)
      }
      if (!isAllowed && (await guard.isEnforced(decision.metadata.namespace ?? '', signal))) {
        return pass('Verified', 'the API server verified who made the decision')
      }
      if (allowUnverified) return pass('UnverifiedAllowed', 'a setting allows unverified decisions')
      const message =
        'the API server did not verify who made the decision: install the admission policies of the platform, and decide again'
      return failed('Unverified', message)
    },
  }
}

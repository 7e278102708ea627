import type { CheckoutRecord } from '../../run-contract/repository-plan.ts'
import type { VcsResult } from '../../run-contract/run-result.ts'

/** What is known of the repository before anything was pushed. */
export function describeCheckout(checkout: CheckoutRecord): VcsResult {
  const { repository, baseBranch, startCommit } = checkout
  return {
    repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(startCommit !== undefined && { commit: startCommit }),
    pushed: false,
  }
}

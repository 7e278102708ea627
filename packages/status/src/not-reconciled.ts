import type { ContractStatus, FoldedStatus } from './fold-gate.ts'
import { foldRunVerdicts } from './fold-run-verdicts.ts'
import { foldVerdicts } from './fold-verdicts.ts'
import type { LivingConditions } from './living-conditions.ts'
import { indexByType, nextCondition, type Observation } from './next-condition.ts'
import type { RunConditions } from './run-conditions.ts'

/** The reason of the summary condition of an object whose kind no controller of the release reconciles. */
export const notReconciledReason = 'NotReconciled'

/**
 * The status of an object whose kind no controller reconciles. A living kind is not ready, and stalled until a release
 * with its controller is installed; a run has neither failed nor is it in progress. A controller that folds the
 * verdicts of its gates later replaces all of this.
 */
export function foldNotReconciled(
  set: LivingConditions | RunConditions,
  previous: ContractStatus | undefined,
  at: Observation,
): FoldedStatus {
  const { conditions } =
    set.summary === 'Ready'
      ? foldVerdicts(set, [], previous, at)
      : foldRunVerdicts(set, [], previous, at)
  const before = indexByType(previous?.conditions ?? [])
  const reported = conditions.flatMap((condition) => {
    const { type } = condition
    if (type !== 'Succeeded' && type !== 'Ready' && type !== 'Reconciling') return [condition]
    // Nothing is in progress. A run is stalled only if it has failed.
    if (type === 'Reconciling' && set.summary === 'Succeeded') return []
    const update = {
      type: type === 'Reconciling' ? 'Stalled' : type,
      status: condition.status,
      reason: notReconciledReason,
      message: 'no controller of this release reconciles this kind',
    }
    return [nextCondition(before.get(update.type), update, at)]
  })
  return { observedGeneration: at.generation, conditions: reported }
}

import type { Condition } from '@agents/kube'
import { orchestrationPhase } from './orchestration/orchestration/phase.ts'
import { orchestrationRunPhase } from './orchestration/orchestration-run/phase.ts'

/** The phase of each kind that no controller of this release reconciles, from its conditions. */
export const unreconciledPhases: Readonly<
  Record<string, (conditions: readonly Condition[]) => string>
> = {
  Orchestration: orchestrationPhase,
  OrchestrationRun: orchestrationRunPhase,
}

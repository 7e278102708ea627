import type { OrchestrationRun } from '@agents/jangar-api'

type Status = NonNullable<OrchestrationRun['status']>

/** The fields of a run's status beside its conditions. Undefined removes a field. */
export type OrchestrationRunDetail = {
  [Name in 'orchestration' | 'stepStatuses' | 'outputs' | 'runId']: Status[Name] | undefined
}

/** What the gates of one reconcile share. */
export interface OrchestrationRunScope {
  /** Undefined until the graph is recorded. Advances the run once for each reconcile. */
  advance(): Promise<import('./advance-run.ts').Advanced | undefined>
}

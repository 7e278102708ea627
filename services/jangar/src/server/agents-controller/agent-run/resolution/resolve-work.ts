import type { AgentRun } from '@agents/jangar-api'
import type { Resolution, ResolutionPorts, WorkflowStep } from './resolution.ts'

/**
 * What the run is made of, from caches alone. With a step, what that step is made of. Without one, a workflow is asked for
 * all of its steps, and answers with the first problem of any, else with the work of its first step.
 */
export function resolveWork(
  run: AgentRun,
  step: WorkflowStep | undefined,
  ports: ResolutionPorts,
): Resolution {
  void [run, step, ports]
  return { kind: 'waiting', reason: 'DependencyMissing', message: 'nothing is resolved yet' }
}

import type { RunSpec } from '../../run-contract/run-spec.ts'
import type { RunnerSpec } from '../../run-contract/runner-spec.ts'
import type { TemplateContext } from '../../run-contract/templates/template-roots.ts'

/** What the provider's templates are filled in from. What the run does not have is unknown to them. */
export function templateContext(run: RunSpec, runner: RunnerSpec): TemplateContext {
  const parameters = run.parameters ?? {}
  return {
    agentRun: run.agentRun,
    ...(run.agent !== undefined && { agent: run.agent }),
    implementation: run.implementation,
    parameters,
    inputs: runner.inputs ?? parameters,
    ...(run.memory !== undefined && { memory: run.memory }),
    ...(run.vcs !== undefined && { vcs: run.vcs }),
  }
}

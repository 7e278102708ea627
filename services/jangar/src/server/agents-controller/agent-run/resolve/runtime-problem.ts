import { modelResources, readAmounts } from '../../../budgets/amounts.ts'
import { refused } from './problem.ts'
import type { AgentRunSpec, Refused } from './resolution.ts'

/**
 * Permanent problems of the spec alone: an unsupported runtime, an invalid workflow, or an invalid reservation.
 */
export function runtimeProblem({ runtime, workflow, policy }: AgentRunSpec): Refused | undefined {
  if (runtime.type !== 'job' && runtime.type !== 'workflow') {
    return refused(
      'UnsupportedRuntime',
      `runtime type ${runtime.type} is not supported; use job or workflow`,
    )
  }
  if (runtime.type === 'workflow') {
    const problem = workflowProblem(workflow)
    if (problem !== undefined) return problem
  }
  const { problem } = readAmounts(policy?.reserve, modelResources)
  if (problem === undefined) return undefined
  return refused('InvalidPolicy', `policy.reserve.${problem.field}: ${problem.message}`)
}

function workflowProblem(workflow: AgentRunSpec['workflow']): Refused | undefined {
  const names = workflow?.steps.map(({ name }) => name.trim()) ?? []
  if (names.length === 0) {
    return refused('InvalidWorkflow', 'the workflow has no steps; list them in workflow.steps')
  }
  const unnamed = names.indexOf('')
  if (unnamed !== -1) {
    return refused('InvalidWorkflow', `workflow.steps[${unnamed}] has no name`)
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return undefined
  return refused('InvalidWorkflow', `two steps have the name ${twice}; use unique names`)
}

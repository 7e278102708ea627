import { refused } from './problem.ts'
import type { AgentRunSpec, Refused } from './resolution.ts'

/**
 * Permanent problems of the spec alone: an unsupported runtime, an invalid workflow, or policies that are not enforced.
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
  const named = (['budgetRef'] as const).filter((name) => policy?.[name] !== undefined)
  if (named.length === 0) return undefined
  return refused(
    'UnsupportedPolicy',
    `policy.${named.join(', policy.')} cannot be enforced yet, so the run is refused; create it again without that policy`,
  )
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

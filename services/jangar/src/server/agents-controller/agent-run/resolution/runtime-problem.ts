import { refused } from './problem.ts'
import type { AgentRunSpec, Refused } from './resolution.ts'

/** What no Agent, no image and no patience can help: the runtime, the workflow, policies that nobody would enforce. */
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
  const named = (['budgetRef', 'approvalPolicyRef', 'secretBindingRef'] as const).filter(
    (name) => policy?.[name] !== undefined,
  )
  if (named.length === 0) return undefined
  return refused(
    'UnsupportedPolicy',
    `the platform cannot enforce policy.${named.join(', policy.')} yet, and does not run anything unguarded that asks for it`,
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
  return refused('InvalidWorkflow', `two steps are called ${twice}; give each a name of its own`)
}

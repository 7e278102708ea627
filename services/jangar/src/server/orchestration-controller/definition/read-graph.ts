import type { Problem } from '../expressions/problem.ts'
import { valueProblems } from './check-values.ts'
import type { Graph, GraphStep, OrchestrationSpec } from './graph.ts'
import { readParameters } from './parameters.ts'
import { readPolicies } from './policies.ts'
import { readStep } from './read-step.ts'
import { graphSizeProblem, outputsProblems } from './sizes.ts'
import { stepOrder } from './step-order.ts'

type ReadGraph =
  | { readonly ok: true; readonly graph: Graph }
  /** At least one; at most one of each step. */
  | { readonly ok: false; readonly problems: readonly Problem[] }

const mostSteps = 500

/**
 * Reads and checks the spec of an Orchestration. Types are checked too: an object that was stored before its definition
 * was upgraded may have any.
 */
export function readGraph(spec: OrchestrationSpec | undefined): ReadGraph {
  const steps = spec?.steps ?? []
  if (spec === undefined || steps.length === 0) {
    return failed([missing('there are no steps')])
  }
  if (steps.length > mostSteps) {
    const message = `there are ${steps.length} steps; at most ${mostSteps} are allowed; move some into another Orchestration`
    return failed([{ reason: 'StepLimit', path: 'spec.steps', message }])
  }
  const size = graphSizeProblem(spec)
  if (size !== undefined) return failed([size])
  const read = steps.map((step, index) => readStep(step, `spec.steps[${index}]`))
  const parameters = readParameters(spec.parameters)
  const policies = readPolicies(spec.policies)
  const shape = [
    ...read.flatMap((step) => (step.ok ? [] : [step.problem])),
    ...(parameters.ok ? [] : [parameters.problem]),
    ...(policies.ok ? [] : [policies.problem]),
  ]
  if (shape.length > 0 || !parameters.ok || !policies.ok) return failed(shape)
  const graph: Graph = {
    steps: read.flatMap((step) => (step.ok ? [step.step] : [])),
    parameters: parameters.parameters,
    outputs: spec.outputs ?? {},
    policies: policies.policies,
  }
  const problems = graphProblems(graph, spec.entrypoint)
  return problems.length > 0 ? failed(problems) : { ok: true, graph }
}

/** Later checks rely on earlier ones. */
function graphProblems(graph: Graph, entrypoint: string | undefined): readonly Problem[] {
  const names = [...duplicates(graph.steps), ...entrypointProblems(graph, entrypoint)]
  if (names.length > 0) return names
  const order = stepOrder(graph.steps)
  if (!order.ok) return order.problems
  const sizes = outputsProblems(graph)
  return sizes.length > 0 ? sizes : valueProblems(graph, order.upstream)
}

function duplicates(steps: readonly GraphStep[]): Problem[] {
  const seen = new Set<string>()
  return steps.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const message = `two steps have the name ${name}`
    return [{ reason: 'DuplicateStep' as const, path: `spec.steps[${index}].name`, message }]
  })
}

function entrypointProblems({ steps }: Graph, entrypoint: string | undefined): Problem[] {
  if (steps.every((step) => step.finally)) {
    return [missing('all steps have finally, so there is nothing that they could run after')]
  }
  if (entrypoint === undefined || steps.some(({ name }) => name === entrypoint)) return []
  const message = `${entrypoint} is not the name of a step; correct it, or remove the field`
  return [{ reason: 'EntrypointMissing', path: 'spec.entrypoint', message }]
}

function missing(message: string): Problem {
  return { reason: 'MissingSteps', path: 'spec.steps', message }
}

function failed(problems: readonly Problem[]): ReadGraph {
  return { ok: false, problems }
}

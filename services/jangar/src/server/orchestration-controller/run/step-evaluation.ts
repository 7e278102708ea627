import type { Json } from '@agents/crd'
import type { OrchestrationRun } from '@agents/jangar-api'
import { digestOf } from '../../kubernetes/digest.ts'
import type { Graph, GraphStep, RawStep } from '../definition/graph.ts'
import { largestOutputs, sizeOf } from '../definition/sizes.ts'
import { fixedPart, renderStep, templatedPart } from '../definition/step-templates.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import type { Scope } from '../expressions/scope.ts'
import type { Outputs, PlanProblem, PlanScope, StepEvaluation } from '../plan/plan-states.ts'

/** Of all steps together, so that the status of a run stays far below 1 MiB. */
const largestTotal = 384 * 1024
const mostItems = 256

/** How the steps of a run are evaluated. */
export function stepEvaluation(
  run: OrchestrationRun,
  graph: Graph,
  parameters: Readonly<Record<string, string>>,
): StepEvaluation<GraphStep> {
  // Measured when something ends: it takes as long as the outputs are large.
  let left: number | undefined
  const leftOver = (): number =>
    largestTotal - sizeOf(run.status?.stepStatuses?.map(({ outputs }) => outputs) ?? [])
  return {
    when: (step, scope) => evaluate(graph, step, 'when', scopeFor(run, parameters, scope)),
    items: (step, scope) => itemsOf(step, scopeFor(run, parameters, scope)),
    inputs: (step, scope, item) => {
      const full = scopeFor(run, parameters, scope)
      const rendered = renderStep(
        step.inputs,
        item === undefined ? full : { ...full, item: item as Json },
      )
      if (!rendered.ok) {
        const { path, message } = rendered.problem
        return { reason: 'TemplateInvalid', problem: `${path}: ${message}` }
      }
      const { step: filled } = rendered
      if (step.kind === 'Checkpoint') return filled.with ?? {}
      return { ...fixedPart(filled), ...templatedPart(filled), ...workflowOf(filled) }
    },
    digest: digestOf,
    fits: (outputs) => {
      const size = sizeOf(outputs)
      left ??= leftOver()
      if (size > largestOutputs || size > left) return false
      left -= size
      return true
    },
  }
}

/** Both parts of a step have a part of the workflow. */
function workflowOf({ workflow }: RawStep): Outputs {
  return workflow === undefined ? {} : { workflow }
}

export function scopeFor(
  { metadata }: OrchestrationRun,
  parameters: Readonly<Record<string, string>>,
  { steps, outcome }: PlanScope,
): Scope {
  const { name, namespace = '' } = metadata
  return {
    parameters,
    steps: steps as Scope['steps'],
    run: { name, namespace, ...(outcome !== undefined && { outcome }) },
  }
}

/** Evaluates an expression that was checked with the Orchestration. */
export function evaluate(
  graph: Graph,
  step: GraphStep,
  field: 'when' | 'match',
  scope: Scope,
): boolean | PlanProblem {
  const source = step[field]
  if (source === undefined) return true
  const compiled = compileExpression(source, {
    parameters: undefined,
    steps: new Map(graph.steps.map(({ name }) => [name, undefined])),
    hasRunOutcome: step.finally,
    hasItem: false,
    hasPayload: field === 'match',
  })
  const result = compiled.ok ? compiled.expression.evaluate(scope) : compiled
  if (result.ok && 'value' in result) return result.value
  const message = 'problem' in result ? result.problem.message : 'it has no value'
  return { reason: 'ExpressionInvalid', problem: `${field}: ${message}` }
}

function itemsOf({ forEach }: GraphStep, scope: Scope): readonly unknown[] | PlanProblem {
  const { list } = forEach ?? { list: { items: [] } }
  if ('items' in list) return list.items
  const found = list.from.split('.').reduce<unknown>((value, name) => memberOf(value, name), scope)
  const items = typeof found === 'string' ? parsed(found) : found
  if (!Array.isArray(items)) {
    return { reason: 'LoopLimit', problem: `${list.from} is not a list, or JSON of one` }
  }
  if (items.length <= mostItems) return items
  const problem = `${list.from} has ${items.length} items; at most ${mostItems} are allowed`
  return { reason: 'LoopLimit', problem }
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Record<string, unknown>)[name] : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import type { Json } from '@agents/crd'
import type { Problem } from '../expressions/problem.ts'
import type { Scope } from '../expressions/scope.ts'
import { renderTemplates } from '../expressions/templates.ts'
import type { RawStep } from './graph.ts'

type JsonObject = Readonly<Record<string, Json>>

/**
 * Fields whose texts are templates. All others are fixed by the author of the graph: whoever starts a run must not
 * choose Secrets, accounts, images or agents by a parameter.
 */
const templated = ['with', 'implementation', 'deliveryId'] as const
const templatedInWorkflow = ['parameters', 'implementation'] as const

/** The parts of a step whose templates are filled in, at the paths that they have in the step. */
export function templatedPart(step: RawStep): JsonObject {
  const steps = workflowSteps(step)?.map((one) => pick(one, templatedInWorkflow))
  const part = pick(step as JsonObject, templated)
  return steps === undefined ? part : { ...part, workflow: { steps } }
}

/** The fields of a step that are passed on and whose texts are not templates. */
export function fixedPart(step: RawStep): JsonObject {
  const steps = workflowSteps(step)?.map((one) => omit(one, templatedInWorkflow))
  const part = pick(step as JsonObject, [
    'agentRef',
    'implementationSpecRef',
    'runtime',
    'workload',
    'memoryRef',
    'secrets',
    'toolRef',
    'orchestrationRef',
    'policyRef',
    'signalRef',
  ])
  return steps === undefined ? part : { ...part, workflow: { steps } }
}

type RenderedStep =
  | { readonly ok: true; readonly step: RawStep }
  | { readonly ok: false; readonly problem: Problem }

/** The step with its templates filled in. The path of a problem is relative to the step. */
export function renderStep(step: RawStep, scope: Scope): RenderedStep {
  const rendered = renderTemplates(templatedPart(step), scope)
  if (!rendered.ok) return rendered
  const { workflow, ...part } = rendered.value as JsonObject
  const changed = { ...step, ...part } as RawStep
  if (workflow === undefined) return { ok: true, step: changed }
  const filled = (workflow as { readonly steps: Json[] }).steps as JsonObject[]
  const steps = workflowSteps(step)?.map((one, index) => ({ ...one, ...filled[index] })) ?? []
  return { ok: true, step: { ...changed, workflow: { ...step.workflow, steps } } }
}

/** The steps of the AgentRun, whose schema is not checked before the AgentRun is created. */
function workflowSteps({ workflow }: RawStep): readonly JsonObject[] | undefined {
  const steps = workflow?.steps
  if (!Array.isArray(steps)) return undefined
  return steps.map((step) => (isObject(step) ? step : {}))
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}

function omit(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))
}

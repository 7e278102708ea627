import { compileExpression } from '../expressions/compile-expression.ts'
import { type ExpressionNames, pathProblem } from '../expressions/expression-names.ts'
import type { Problem } from '../expressions/problem.ts'
import { findTemplates } from '../expressions/templates.ts'
import type { Graph, GraphStep } from './graph.ts'
import { memoryOutputs } from './memory-step.ts'
import { fixedPart, templatedPart } from './step-templates.ts'

/**
 * The problems of templates and expressions, at most one of each step: describing each of thousands would take the
 * controller's time.
 */
export function valueProblems(
  graph: Graph,
  upstream: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Problem[] {
  const tooLong = lengthProblem(graph)
  if (tooLong !== undefined) return [tooLong]
  const outputs = new Map(graph.steps.map((step) => [step.name, outputsOf(step)]))
  const parameters = graph.parameters && new Set(graph.parameters.map(({ name }) => name))
  const namesAt = (steps: Iterable<string>, isLast: boolean): ExpressionNames => ({
    parameters,
    steps: new Map([...steps].map((name) => [name, outputs.get(name)])),
    hasRunOutcome: isLast,
    hasItem: false,
    hasPayload: false,
  })
  const problems = graph.steps.flatMap((step, index) => {
    const names = namesAt(upstream.get(step.name) ?? [], step.finally)
    const problem = stepProblem(step, names)
    return problem ? [{ ...problem, path: `spec.steps[${index}].${problem.path}` }] : []
  })
  const ofRun = templateProblem(graph.outputs, namesAt(outputs.keys(), true))
  return ofRun ? [...problems, { ...ofRun, path: `spec.outputs.${ofRun.path}` }] : problems
}

/** Compiling 64 KiB takes a fifth of a second, during which the controllers do nothing else. */
const longestExpressions = 64 * 1024

function lengthProblem({ steps }: Graph): Problem | undefined {
  const lengths = steps.map(({ when = '', match = '' }) => when.length + match.length)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total <= longestExpressions) return undefined
  const message = `the expressions of all steps have ${total} characters; at most ${longestExpressions} are allowed`
  return { reason: 'ExpressionInvalid', path: 'spec.steps', message }
}

/** The names of the outputs of a step, if they are known before it runs. */
function outputsOf({ kind, inputs }: GraphStep): ReadonlySet<string> | undefined {
  if (kind === 'MemoryOp') return memoryOutputs(inputs)
  return kind === 'Checkpoint' ? new Set(Object.keys(inputs.with ?? {})) : undefined
}

/** The path of the problem is relative to the step. */
function stepProblem(step: GraphStep, names: ExpressionNames): Problem | undefined {
  const { when, match, forEach, inputs } = step
  return (
    expressionProblem('when', when, names) ??
    expressionProblem('match', match, { ...names, hasPayload: true }) ??
    listProblem(forEach, names) ??
    templateProblem(templatedPart(inputs), { ...names, hasItem: forEach !== undefined }) ??
    misplacedTemplate(step)
  )
}

function expressionProblem(
  path: string,
  source: string | undefined,
  names: ExpressionNames,
): Problem | undefined {
  if (source === undefined) return undefined
  const compiled = compileExpression(source, names)
  return compiled.ok ? undefined : { ...compiled.problem, path }
}

const listPath = /^(?:parameters\.[\w-]+|steps\.[\w-]+\.outputs(?:\.[\w-]+)+)$/

function listProblem(loop: GraphStep['forEach'], names: ExpressionNames): Problem | undefined {
  if (loop === undefined || !('from' in loop.list)) return undefined
  const { from } = loop.list
  const message = listPath.test(from)
    ? pathProblem(from.split('.'), names)
    : 'must be the path of a parameter or an output without braces, such as steps.plan.outputs.files'
  return message === undefined ? undefined : invalidTemplate('forEach.from', message)
}

function templateProblem(
  value: Parameters<typeof findTemplates>[0],
  names: ExpressionNames,
): Problem | undefined {
  for (const { path, content } of findTemplates(value)) {
    if (!content.ok) return invalidTemplate(path, content.message)
    for (const reference of content.references) {
      const message = pathProblem(reference, names)
      if (message !== undefined) return invalidTemplate(path, message)
    }
  }
  return undefined
}

function misplacedTemplate({ kind, inputs }: GraphStep): Problem | undefined {
  const { agentRef, with: values } = inputs
  const asAgent = kind === 'AgentRun' &&
    !agentRef?.name && { with: { agentRef: values?.agentRef ?? '' } }
  const [found] = findTemplates({ ...fixedPart(inputs), ...asAgent })
  return (
    found &&
    invalidTemplate(
      found.path,
      'templates are not filled in here, but in with, implementation and deliveryId, and in parameters and implementation of workflow.steps',
    )
  )
}

function invalidTemplate(path: string, message: string): Problem {
  return { reason: 'TemplateInvalid', path, message }
}

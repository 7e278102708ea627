import { parseTemplate } from '../../../run-contract/templates/parse-template.ts'
import type { Problem } from '../expressions/problem.ts'
import type { Graph, OrchestrationSpec } from './graph.ts'

/** In bytes of JSON. */
export const largestOutputs = 16 * 1024
/** In bytes of JSON. The status of a run, which the graph becomes a part of, has to stay below 1 MiB. */
const largestGraph = 256 * 1024

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Before anything else is read, which takes as long as the graph is large. */
export function graphSizeProblem(spec: OrchestrationSpec): Problem | undefined {
  const size = sizeOf(spec)
  if (size <= largestGraph) return undefined
  const message = `has ${size} bytes as JSON; at most ${largestGraph} are allowed; move steps into another Orchestration`
  return { reason: 'GraphTooLarge', path: 'spec', message }
}

/** The outputs that are too large whatever their templates are filled in with. */
export function outputsProblems({ steps, outputs }: Graph): readonly Problem[] {
  return [
    ...steps.flatMap(({ kind, inputs }, index) =>
      kind === 'Checkpoint' ? tooLarge(inputs.with ?? {}, `spec.steps[${index}].with`) : [],
    ),
    ...tooLarge(outputs, 'spec.outputs'),
  ]
}

function tooLarge(outputs: Readonly<Record<string, unknown>>, path: string): readonly Problem[] {
  const least = Object.entries(outputs).map(([name, value]) => [name, fixedText(value)])
  const size = sizeOf(Object.fromEntries(least))
  if (size <= largestOutputs) return []
  const message = `outputs have at least ${size} bytes as JSON; at most ${largestOutputs} are allowed`
  return [{ reason: 'OutputsTooLarge', path, message }]
}

function fixedText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return parseTemplate(value)
    .parts.map((part) => (part.kind === 'path' ? '' : part.text))
    .join('')
}

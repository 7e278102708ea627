import { type GateOf, pass, stall } from '@agents/controller'
import type { AgentProvider, agentProviderConditions } from '@agents/jangar-api'
import { type NamedTemplate, templateProblem } from '../../template-problem.ts'

export const validated: GateOf<typeof agentProviderConditions, 'Validated', AgentProvider> = {
  condition: 'Validated',
  check: ({ spec }) => {
    if (spec.binary.trim() === '') {
      return stall('MissingBinary', 'spec.binary is empty; set it to the program to run')
    }
    const template = templateProblem(templatesOf(spec))
    if (template !== undefined) return stall('InvalidTemplate', template)
    const file = inputFileProblem(spec)
    if (file !== undefined) return stall('InvalidInputFile', file)
    return pass('Valid', 'the spec is valid')
  },
}

type Spec = AgentProvider['spec']

function templatesOf({ argsTemplate, envTemplate, inputFiles }: Spec): NamedTemplate[] {
  return [
    ...(argsTemplate ?? []).map((text, index) => ({ at: `argsTemplate[${index}]`, text })),
    ...Object.entries(envTemplate ?? {}).map(([name, text]) => ({
      at: `envTemplate.${name}`,
      text,
    })),
    ...(inputFiles ?? []).map(({ content }, index) => ({
      at: `inputFiles[${index}].content`,
      text: content,
    })),
  ]
}

function inputFileProblem({ inputFiles }: Spec): string | undefined {
  const seen = new Set<string>()
  for (const [index, { path }] of (inputFiles ?? []).entries()) {
    const at = `spec.inputFiles[${index}].path`
    if (!path.startsWith('/')) return `${at}: ${path} is not absolute`
    if (seen.has(path)) return `${at}: ${path} is used twice`
    seen.add(path)
  }
  return undefined
}

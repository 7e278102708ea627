import type { Tool } from '@agents/jangar-api'
import { lookUp } from '../../../run-contract/templates/look-up.ts'
import { parseTemplate } from '../../../run-contract/templates/parse-template.ts'
import { scriptArgument } from './script-argument.ts'
import { parameterVariable } from './tool-variables.ts'

type Paths = readonly (readonly string[])[]

/** The first problem of the tool's templates that does not depend on a run. */
export function toolTemplateProblem(spec: Tool['spec']): string | undefined {
  const command = (spec.command ?? []).map((text, at) => ({ at: `spec.command[${at}]`, text }))
  const args = (spec.args ?? []).map((text, at) => ({ at: `spec.args[${at}]`, text }))
  const env = (spec.env ?? []).map(({ value = '' }, at) => ({
    at: `spec.env[${at}].value`,
    text: value,
  }))
  const words = [...command, ...args]
  const script = words[scriptArgument(words.map(({ text }) => text)) ?? -1]
  for (const template of [...words, ...env]) {
    const { parts, problems } = parseTemplate(template.text)
    const [problem] = problems
    if (problem) return `${template.at}: ${problem.message}`
    const paths = parts.flatMap((part) => (part.kind === 'path' ? [part.path] : []))
    const why =
      template === script && paths.length > 0
        ? scriptProblem(paths)
        : firstOf(paths, (path) => pathProblem(path, spec.parameters))
    if (why !== undefined) return `${template.at}: ${why}`
  }
  return undefined
}

function firstOf(paths: Paths, check: (path: readonly string[]) => string | undefined) {
  for (const path of paths) {
    const problem = check(path)
    if (problem !== undefined) return problem
  }
  return undefined
}

function scriptProblem(paths: Paths): string {
  const [[root, name = ''] = []] = paths
  const instead =
    root === 'parameters' ? `"$${parameterVariable(name)}"` : 'a variable of spec.env in quotes'
  return `a template in a script lets its value add commands; use ${instead} in the script, or another argument`
}

/** What templates can refer to beside parameters, with any values. */
const known = {
  tool: toolFacts({ name: '', namespace: '' }),
  toolRun: runFacts({ name: '', namespace: '', uid: '' }),
}

function pathProblem(
  path: readonly string[],
  declared: Tool['spec']['parameters'],
): string | undefined {
  const [root, name = ''] = path
  const text = path.join('.')
  if (root !== 'parameters') {
    const found = lookUp(known, path)
    if (found.ok && typeof found.value === 'string') return undefined
    return `${text} does not exist; templates can use parameters.NAME, tool.name and toolRun.name`
  }
  if (path.length !== 2) return `${text} does not exist; use parameters.NAME`
  if (declared === undefined) return undefined
  const parameter = declared.find((one) => one.name === name)
  if (parameter === undefined) return `${name} is not in spec.parameters`
  if (parameter.required || parameter.default !== undefined) return undefined
  return `a run may omit the parameter ${name}; give it a default, or make it required`
}

interface Named {
  readonly name: string
  readonly namespace?: string | undefined
  readonly uid?: string | undefined
}

export function toolFacts({ name, namespace = '' }: Named) {
  return { name, namespace, metadata: { name, namespace } }
}

export function runFacts({ name, namespace = '', uid = '' }: Named) {
  return { name, namespace, uid, metadata: { name, namespace, uid } }
}

import { basename } from 'node:path'
import type { ProviderSpec } from '../../run-contract/runner-spec.ts'
import { renderTemplate } from '../../run-contract/templates/render-template.ts'
import type { TemplateContext } from '../../run-contract/templates/template-roots.ts'
import type { InputFile } from '../workspace/write-input-files.ts'

/** What to run, with all templates rendered. */
export interface Command {
  readonly binary: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly inputFiles: readonly InputFile[]
}

type ChosenCommand =
  | { readonly ok: true; readonly value: Command }
  | {
      readonly ok: false
      readonly reason: 'InvalidSpec' | 'InvalidTemplate'
      readonly problems: readonly string[]
    }

/**
 * The command of the command line takes precedence: the pod's spec has already rendered its templates, set the
 * environment and mounted the files.
 */
export function chooseCommand(
  argv: readonly [string, ...string[]] | undefined,
  provider: ProviderSpec | undefined,
  context: TemplateContext,
): ChosenCommand {
  if (argv !== undefined) {
    const [binary, ...args] = argv
    return { ok: true, value: { binary, args, env: {}, inputFiles: [] } }
  }
  if (provider === undefined) {
    return invalid('agent-runner.json: providerSpec is missing, and no program is given after --')
  }
  if (basename(provider.binary) === 'agent-runner') {
    return invalid(
      'agent-runner.json: providerSpec.binary is the runner itself; put the program after --',
    )
  }
  return fillIn(provider, context)
}

function invalid(problem: string): ChosenCommand {
  return { ok: false, reason: 'InvalidSpec', problems: [problem] }
}

function fillIn(provider: ProviderSpec, context: TemplateContext): ChosenCommand {
  const problems: string[] = []
  const fill = (path: string, template: string) => {
    const rendered = renderTemplate(template, context)
    if (rendered.ok) return rendered.text
    problems.push(...rendered.problems.map(({ message }) => `providerSpec.${path}: ${message}`))
    return ''
  }
  const command: Command = {
    binary: provider.binary,
    args: (provider.argsTemplate ?? []).map((arg, index) => fill(`argsTemplate[${index}]`, arg)),
    env: Object.fromEntries(
      Object.entries(provider.envTemplate ?? {}).map(([name, value]) => [
        name,
        fill(`envTemplate.${name}`, value),
      ]),
    ),
    inputFiles: (provider.inputFiles ?? []).map(({ path, content }, index) => ({
      path,
      content: fill(`inputFiles[${index}].content`, content),
    })),
  }
  if (problems.length > 0) return { ok: false, reason: 'InvalidTemplate', problems }
  return { ok: true, value: command }
}

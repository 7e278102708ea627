import { posix } from 'node:path'
import type { AgentProvider } from '@agents/jangar-api'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { renderTemplate } from '../../../../run-contract/templates/render-template.ts'
import type { TemplateContext } from '../../../../run-contract/templates/template-roots.ts'
import { literalIn } from '../../../jobs/literal.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused } from '../resolve/resolution.ts'

/** A provider's command, environment and files, rendered for one run. */
export interface FilledProvider {
  readonly args: readonly string[]
  readonly env: readonly (readonly [name: string, value: string])[]
  readonly files: readonly { readonly path: string; readonly content: string }[]
}

/** Renders all templates of the provider, or reports every problem in them. */
export function fillProvider(
  { metadata, spec }: AgentProvider,
  context: TemplateContext,
): Found<FilledProvider, Refused> {
  const problems: string[] = []
  const fill = (path: string, template: string, from: TemplateContext) => {
    const rendered = renderTemplate(template, from)
    if (rendered.ok) return rendered.text
    problems.push(...rendered.problems.map(({ message }) => `${path}: ${message}`))
    return ''
  }
  // Kubernetes expands references in arguments and variables, but not in files.
  const literally = literalIn(context)
  const filled: FilledProvider = {
    args: (spec.argsTemplate ?? []).map((arg, at) => fill(`argsTemplate[${at}]`, arg, literally)),
    env: Object.entries(spec.envTemplate ?? {}).map(([name, value]) => [
      name,
      fill(`envTemplate.${name}`, value, literally),
    ]),
    files: (spec.inputFiles ?? []).map(({ path, content }, at) => ({
      path: posix.resolve(podPaths.workspace, path),
      content: fill(`inputFiles[${at}].content`, content, context),
    })),
  }
  if (problems.length === 0) return found(filled)
  const message = `AgentProvider ${metadata.name} cannot be rendered: ${problems.join('; ')}; correct the template, or create the run again with the missing values`
  return refused('InvalidTemplate', message)
}

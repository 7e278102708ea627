import { posix } from 'node:path'
import type { AgentProvider } from '@agents/jangar-api'
import { WORKSPACE } from '../../../../runner/workspace/workspace-path.ts'
import { renderTemplate } from '../../../../templates/render-template.ts'
import type { TemplateContext } from '../../../../templates/template-roots.ts'
import { type Found, found, refused } from '../resolution/problem.ts'
import type { Refused } from '../resolution/resolution.ts'
import { literalIn } from './literal.ts'

/** A provider's command, environment and files for one run. */
export interface FilledProvider {
  readonly args: readonly string[]
  readonly env: readonly (readonly [name: string, value: string])[]
  readonly files: readonly { readonly path: string; readonly content: string }[]
}

/** All templates of the provider filled in, or everything that is wrong with them. */
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
  // Kubernetes reads arguments and variables once more; files it leaves alone.
  const literally = literalIn(context)
  const filled: FilledProvider = {
    args: (spec.argsTemplate ?? []).map((arg, at) => fill(`argsTemplate[${at}]`, arg, literally)),
    env: Object.entries(spec.envTemplate ?? {}).map(([name, value]) => [
      name,
      fill(`envTemplate.${name}`, value, literally),
    ]),
    files: (spec.inputFiles ?? []).map(({ path, content }, at) => ({
      path: posix.resolve(WORKSPACE, path),
      content: fill(`inputFiles[${at}].content`, content, context),
    })),
  }
  if (problems.length === 0) return found(filled)
  const message = `AgentProvider ${metadata.name} cannot be filled in: ${problems.join('; ')}; correct the template, or create the run again with what it asks for`
  return refused('InvalidTemplate', message)
}

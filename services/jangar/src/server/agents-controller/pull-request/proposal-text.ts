import { redact } from '@agents/log'
import { renderTemplate } from '../../../run-contract/templates/render-template.ts'
import type { TemplateContext } from '../../../run-contract/templates/template-roots.ts'
import { withTopLevelInputs } from '../../../run-contract/templates/top-level-inputs.ts'

interface TextOptions {
  readonly template: string | undefined
  /** Undefined if the references of the run can no longer be resolved. */
  readonly context: TemplateContext | undefined
  /** Used without a template, or if the template has no result. */
  readonly fallback: string
}

/** Services refuse more than these. */
const longestTitle = 250
const longestBody = 60_000

/** One line without secrets. */
export function proposalTitle(options: TextOptions): string {
  const line = filled(options)
    .split(/[\r\n\u2028\u2029]/)
    .map((one) => printable(one).trim())
    .find((one) => one !== '')
  return shortened(redact(line ?? options.fallback), longestTitle)
}

export function proposalBody(options: TextOptions): string {
  const text = filled(options).replaceAll(/<!--\s*agents:/g, '<!-- ')
  return shortened(redact(text).trim(), longestBody)
}

function filled({ template, context, fallback }: TextOptions): string {
  if (template === undefined || template === '' || context === undefined) return fallback
  const rendered = renderTemplate(template, withTopLevelInputs(context))
  return rendered.ok && rendered.text.trim() !== '' ? rendered.text : fallback
}

/** Control and direction characters can make a title look like another one. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`.toWellFormed()
}

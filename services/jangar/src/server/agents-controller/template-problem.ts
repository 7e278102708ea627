import { checkTemplate } from '../../run-contract/templates/check-template.ts'

export interface NamedTemplate {
  /** Path relative to `spec`. */
  readonly at: string
  readonly text: string | undefined
  /** Whether parameters and metadata can be used without a root. */
  readonly allowsInputs?: boolean
}

/** The first problem of the templates. */
export function templateProblem(templates: readonly NamedTemplate[]): string | undefined {
  for (const { at, text, allowsInputs } of templates) {
    const [problem] = text === undefined ? [] : checkTemplate(text, { allowsInputs })
    if (problem) return `spec.${at}: ${problem.message}`
  }
  return undefined
}

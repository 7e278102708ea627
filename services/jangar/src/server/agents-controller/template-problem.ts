import { checkTemplate } from '../../templates/check-template.ts'

export interface NamedTemplate {
  /** Below `spec`. */
  readonly at: string
  readonly text: string | undefined
}

/** What is wrong with the first of them that is wrong: who corrects it sees the next. */
export function templateProblem(templates: readonly NamedTemplate[]): string | undefined {
  for (const { at, text } of templates) {
    const [problem] = text === undefined ? [] : checkTemplate(text)
    if (problem) return `spec.${at}: ${problem.message}`
  }
  return undefined
}

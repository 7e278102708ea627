import { parseTemplate } from './parse-template.ts'
import type { TemplateProblem } from './template-problem.ts'
import { templateRoots } from './template-roots.ts'

/**
 * The problems of a template that do not depend on its values: wrong syntax, or a path that starts at an unknown root.
 * `allowsInputs`: a single name is a parameter or metadata of the run, which only the run knows.
 */
export function checkTemplate(
  template: string,
  { allowsInputs = false }: { readonly allowsInputs?: boolean | undefined } = {},
): readonly TemplateProblem[] {
  const { parts, problems } = parseTemplate(template)
  const roots: readonly string[] = templateRoots
  const unknown = parts.flatMap((part) => {
    if (part.kind === 'text' || roots.includes(part.path[0] ?? '')) return []
    if (allowsInputs && part.path.length === 1) return []
    const message = `${part.path.join('.')} does not exist; templates can use ${roots.join(', ')}`
    return [{ code: 'UnknownPath' as const, offset: part.offset, message }]
  })
  return [...problems, ...unknown].toSorted((a, b) => a.offset - b.offset)
}

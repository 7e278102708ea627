import { parseTemplate } from './parse-template.ts'
import type { TemplateProblem } from './template-problem.ts'
import { TEMPLATE_ROOTS } from './template-roots.ts'

/** What is wrong with a template whatever it is filled in from: it cannot be read, or begins at a root that never is. */
export function checkTemplate(template: string): readonly TemplateProblem[] {
  const { parts, problems } = parseTemplate(template)
  const roots: readonly string[] = TEMPLATE_ROOTS
  const unknown = parts.flatMap((part) => {
    if (part.kind === 'text' || roots.includes(part.path[0] ?? '')) return []
    const message = `there is never a ${part.path.join('.')} (there is ${roots.join(', ')})`
    return [{ code: 'UnknownPath' as const, offset: part.offset, message }]
  })
  return [...problems, ...unknown].toSorted((a, b) => a.offset - b.offset)
}

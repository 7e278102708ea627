import { lookUp } from './look-up.ts'
import { parseTemplate, type TemplatePart } from './parse-template.ts'
import type { TemplateProblem } from './template-problem.ts'
import { textOf } from './text-of.ts'

type Rendered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly TemplateProblem[] }

/** In UTF-16 units; keeps a small template over a large text from filling the memory. */
export const longestRendered = 4 * 1024 * 1024

/**
 * The template filled in from the context, or everything that is wrong with it. An unknown path is never an empty text.
 */
export function renderTemplate(
  template: string,
  context: Readonly<Record<string, unknown>>,
): Rendered {
  const { parts, problems } = parseTemplate(template)
  const texts: string[] = []
  const found = [...problems]
  let length = 0
  for (const part of parts) {
    const filled = fill(part, context)
    if (typeof filled !== 'string') {
      found.push(filled)
      continue
    }
    length += filled.length
    if (length > longestRendered) return { ok: false, problems: [...found, tooLarge(part)] }
    texts.push(filled)
  }
  if (found.length > 0) return { ok: false, problems: inOrder(found) }
  return { ok: true, text: texts.join('') }
}

function fill(part: TemplatePart, context: object): string | TemplateProblem {
  if (part.kind === 'text') return part.text
  const found = lookUp(context, part.path)
  if (found.ok) return textOf(found.value)
  const message = `${part.path.join('.')} does not exist (${found.known})`
  return { code: 'UnknownPath', offset: part.offset, message }
}

function tooLarge(part: TemplatePart): TemplateProblem {
  const offset = part.kind === 'path' ? part.offset : 0
  const message = `the result would have more than ${longestRendered} characters`
  return { code: 'TooLarge', offset, message }
}

function inOrder(problems: readonly TemplateProblem[]): readonly TemplateProblem[] {
  return problems.toSorted((a, b) => a.offset - b.offset)
}

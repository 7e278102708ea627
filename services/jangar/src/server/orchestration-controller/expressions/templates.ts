import type { Json } from '@agents/crd'
import { parseTemplate } from '../../../run-contract/templates/parse-template.ts'
import { renderTemplate } from '../../../run-contract/templates/render-template.ts'
import type { Problem } from './problem.ts'
import type { Scope } from './scope.ts'

type Rendered =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: Problem }

/** In UTF-16 units, of all texts of a value: what is larger does not fit into an object. */
const longestRendered = 1024 * 1024

/**
 * Fills in the templates of all texts of a value, at any depth; keys are left as they are. The path of a problem is
 * relative to the value, such as `with.branch`. What a value brings along is not read as a template again.
 */
export function renderTemplates(value: Json, scope: Scope): Rendered {
  const context = { ...scope }
  let length = 0
  const rendered = mapTexts(value, '', (text, path): Rendered => {
    const result = renderTemplate(text, context)
    if (!result.ok) return invalid(path, result.problems[0]?.message ?? 'the template is invalid')
    length += result.text.length
    return length > longestRendered
      ? invalid(path, `the result would have more than ${longestRendered} characters`)
      : { ok: true, value: result.text }
  })
  return rendered
}

interface FoundTemplate {
  /** Relative to the value. */
  readonly path: string
  /** Wrong syntax, or the dotted paths that the text refers to. */
  readonly content:
    | { readonly ok: true; readonly references: readonly (readonly string[])[] }
    | { readonly ok: false; readonly message: string }
}

/** The templates in the texts of a value, at any depth. Texts without templates are not listed. */
export function findTemplates(value: Json): readonly FoundTemplate[] {
  const found: FoundTemplate[] = []
  mapTexts(value, '', (text, path) => {
    const { parts, problems } = parseTemplate(text)
    const [problem] = problems
    const references = parts.flatMap((part) => (part.kind === 'path' ? [part.path] : []))
    if (problem) found.push({ path, content: { ok: false, message: problem.message } })
    else if (references.length > 0) found.push({ path, content: { ok: true, references } })
    return { ok: true, value: text }
  })
  return found
}

function invalid(path: string, message: string): Rendered {
  return { ok: false, problem: { reason: 'TemplateInvalid', path, message } }
}

function mapTexts(
  value: Json,
  path: string,
  change: (text: string, path: string) => Rendered,
): Rendered {
  if (typeof value === 'string') return change(value, path)
  if (typeof value !== 'object' || value === null) return { ok: true, value }
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  const changed: [string | number, Json][] = []
  for (const [name, member] of entries) {
    const at =
      typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    const result = mapTexts(member, at, change)
    if (!result.ok) return result
    changed.push([name, result.value])
  }
  const result = Array.isArray(value)
    ? changed.map(([, member]) => member)
    : Object.fromEntries(changed)
  return { ok: true, value: result }
}

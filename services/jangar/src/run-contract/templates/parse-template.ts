import type { TemplateProblem } from './template-problem.ts'

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly offset: number }

interface ParsedTemplate {
  readonly parts: readonly TemplatePart[]
  /** All of them; when there is one, the parts are not to be used. */
  readonly problems: readonly TemplateProblem[]
}

/**
 * Text with expressions in it. An expression is `{{ dotted.path }}` or, to say something literally, `{{ "text" }}` with
 * single or double quotes and no escapes: `{{ "{{" }}` gives two braces. White space inside the braces does not matter.
 * A segment of a path is letters, digits, `_` and `-`; a number reaches into a list. Everything else is plain text:
 * single braces, `}}` outside an expression, backslashes, dollar signs. Nothing that a value brings along is read as
 * a template again.
 */
export function parseTemplate(template: string): ParsedTemplate {
  const parts: TemplatePart[] = []
  const problems: TemplateProblem[] = []
  let at = 0
  while (at < template.length) {
    const open = template.indexOf('{{', at)
    if (open === -1) break
    if (open > at) parts.push({ kind: 'text', text: template.slice(at, open) })
    const expression = readExpression(template, open)
    if ('problem' in expression) problems.push(expression.problem)
    else parts.push(expression.part)
    at = expression.end
  }
  if (at < template.length) parts.push({ kind: 'text', text: template.slice(at) })
  return { parts, problems }
}

type Expression =
  | { readonly part: TemplatePart; readonly end: number }
  | { readonly problem: TemplateProblem; readonly end: number }

// Sticky, and no two neighbours can match the same character: each is tried once, in linear time.
const quotedLiteral = /\{\{\s*(?:"([^"]*)"|'([^']*)')\s*\}\}/y
const dottedPath = /^[\w-]+(?:\.[\w-]+)*$/
const longestExcerpt = 60

function readExpression(template: string, offset: number): Expression {
  const literal = readQuoted(template, offset)
  if (literal !== undefined) return literal
  const close = template.indexOf('}}', offset + 2)
  if (close === -1) {
    const message = `{{ at ${offset} is not closed with }}; for two literal braces write {{ "{{" }}`
    return { problem: { code: 'Unclosed', offset, message }, end: template.length }
  }
  const end = close + 2
  const inside = template.slice(offset + 2, close).trim()
  if (dottedPath.test(inside))
    return { part: { kind: 'path', path: inside.split('.'), offset }, end }
  const message = `{{ ${shorten(inside)} }} is not a path such as parameters.stage`
  return { problem: { code: 'NotAPath', offset, message }, end }
}

function readQuoted(template: string, offset: number): Expression | undefined {
  const quoted = new RegExp(quotedLiteral)
  quoted.lastIndex = offset
  const match = quoted.exec(template)
  if (match === null) return undefined
  return { part: { kind: 'text', text: match[1] ?? match[2] ?? '' }, end: quoted.lastIndex }
}

function shorten(text: string): string {
  return text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt)}…`
}

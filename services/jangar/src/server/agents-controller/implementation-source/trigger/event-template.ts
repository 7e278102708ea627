import { parseTemplate } from '../../../../run-contract/templates/parse-template.ts'
import { renderTemplate } from '../../../../run-contract/templates/render-template.ts'
import type { Trigger } from './trigger-event.ts'

/** What a template can use of an event: texts of strangers, except for those of `checkedFields`. */
const eventFields = [
  ...['type', 'actor', 'repository', 'externalId', 'number', 'text', 'title', 'body', 'url'],
  ...['labels', 'branch', 'base', 'commit', 'check'],
] as const
export type EventField = (typeof eventFields)[number]
export type EventValues = Readonly<Record<EventField, string>>

/** Their form is known, and the source or the platform has confirmed them. */
const checkedFields: readonly string[] = [
  ...['repository', 'externalId', 'number', 'branch', 'base', 'commit'],
]

/** Parameters that choose a repository, a branch, a model or an agent, under all names that runs accept for them. */
const decidingParameters = new Set([
  ...['repository', 'repo', 'issueRepository', 'issueNumber', 'issue', 'issueId', 'issue_id'],
  ...['issue_number', 'base', 'baseBranch', 'base_ref', 'baseRef', 'head', 'headBranch'],
  ...['head_ref', 'headRef', 'stage', 'workflowStage', 'codexStage', 'model', 'agentRef'],
])

type Path = readonly (string | number)[]
type Place = 'parameter' | 'prompt'

/** The limits of a parameter, in bytes, and of a prompt, in UTF-16 units. */
const largestParameter = 2048
const longestPrompt = 131_072

const mention = /\{\{\s*event\b/

/** Why the template of the trigger cannot be used: an event stands where it could decide more than a text. */
export function templateProblem({ name, template }: Trigger): string | undefined {
  let problem: string | undefined
  const found = (path: Path, why: string | undefined): void => {
    if (why !== undefined) problem ??= `spec.triggers[${name}].template.${shown(path)}: ${why}`
  }
  eachText(template, [], (text, path, isKey) => {
    if (mention.test(text)) found(path, isKey ? misplaced : textProblem(template, path, text))
  })
  if (template?.kind === 'OrchestrationRun' && Object.hasOwn(template.spec, 'resumeFrom')) {
    found(['spec', 'resumeFrom'], 'a trigger always starts from the beginning; remove it')
  }
  return problem
}

const misplaced =
  'an event may only be used in parameters and, of an AgentRun, in implementation.inline.text'

function textProblem(template: Trigger['template'], path: Path, text: string): string | undefined {
  const place = placeOf(template, path)
  if (place === undefined) return misplaced
  const { parts, problems } = parseTemplate(text)
  if (problems[0] !== undefined) return problems[0].message
  const isDeciding = place === 'parameter' && decidingParameters.has(String(path.at(-1)))
  for (const part of parts) {
    if (part.kind === 'text') continue
    const [root, field = '', ...rest] = part.path
    const isKnown = root === 'event' && rest.length === 0 && includes(eventFields, field)
    if (!isKnown) {
      return `${part.path.join('.')} does not exist; use ${eventFields.map((one) => `event.${one}`).join(', ')}`
    }
    if (isDeciding && !checkedFields.includes(field)) {
      return `the parameter decides where the work is done; event.${field} is a text of others; use ${checkedFields.map((one) => `event.${one}`).join(', ')}`
    }
  }
  return undefined
}

function placeOf({ kind = 'AgentRun' }: Trigger['template'], path: Path): Place | undefined {
  const at = path.map((one) => (typeof one === 'number' ? '*' : one)).join('/')
  if (path.length === 3 && at.startsWith('spec/parameters/')) return 'parameter'
  if (kind !== 'AgentRun') return undefined
  if (at === 'spec/implementation/inline/text') return 'prompt'
  const step = 'spec/workflow/steps/*/'
  if (path.length === 6 && at.startsWith(`${step}parameters/`)) return 'parameter'
  return at === `${step}implementation/inline/text` ? 'prompt' : undefined
}

type Json = unknown

/**
 * The spec of the template with the event in it. What the event contains is text: it is not read as a template again,
 * here or later. Texts that mention no event stay as they are. The template must have no problem.
 */
export function filledSpec(
  template: Trigger['template'],
  values: EventValues,
): Readonly<Record<string, unknown>> {
  const fill = (value: Json, path: Path): Json => {
    if (typeof value === 'string') return filled(template, value, path, values)
    if (Array.isArray(value)) return value.map((one, index) => fill(one, [...path, index]))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, fill(one, [...path, name])]),
    )
  }
  return fill(template.spec, ['spec']) as Readonly<Record<string, unknown>>
}

function filled(
  template: Trigger['template'],
  text: string,
  path: Path,
  event: EventValues,
): string {
  const place = mention.test(text) ? placeOf(template, path) : undefined
  if (place === undefined) return text
  const rendered = renderTemplate(text, { event: cleaned(event) })
  if (!rendered.ok) throw new TypeError(`${shown(path)}: ${rendered.problems[0]?.message}`)
  return place === 'prompt'
    ? rendered.text.slice(0, longestPrompt).toWellFormed()
    : firstBytes(rendered.text, largestParameter)
}

/** Parameters become arguments and variables, which have no control characters. */
function cleaned(event: EventValues): EventValues {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      value.replaceAll(/(?![\n\t])\p{Cc}/gu, ' ').toWellFormed(),
    ]),
  ) as EventValues
}

/** As many whole characters as fit. */
function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = most
  // A byte that continues a character starts with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

function eachText(
  value: Json,
  path: Path,
  visit: (text: string, path: Path, isKey: boolean) => void,
): void {
  if (typeof value === 'string') visit(value, path, false)
  if (typeof value !== 'object' || value === null) return
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  for (const [name, one] of entries) {
    if (typeof name === 'string') visit(name, [...path, name], true)
    eachText(one, [...path, name], visit)
  }
}

function shown(path: Path): string {
  return path
    .map((one) => (typeof one === 'number' ? `[${one}]` : `.${one.slice(0, 60)}`))
    .join('')
    .replace(/^\./, '')
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

import type { LabelSelector } from '../kind/builtin-objects.ts'

export type LabelOperator = 'in' | 'notin' | 'exists' | 'absent'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

export class SelectorError extends Error {
  override name = 'SelectorError'
}

/**
 * Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`; no requirement at all matches everything. Throws SelectorError. Whether
 * keys and values are well formed is left to the server.
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const requirements: LabelRequirement[] = []
  let rest = text.trim()
  while (rest !== '') {
    const match = requirement.exec(rest)
    if (match === null) throw new SelectorError(`${JSON.stringify(text)} is no label selector`)
    requirements.push(read(match))
    rest = rest.slice(match[0].length)
    if (rest === '' && match[0].trimEnd().endsWith(',')) {
      throw new SelectorError(`${JSON.stringify(text)} ends with a comma`)
    }
  }
  return requirements
}

/** The selector of a Deployment or Job, as the API writes it in objects. An absent one selects nothing. */
export function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const exact = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in' as const,
    values: [value],
  }))
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
    key,
    operator: operators[operator],
    values,
  }))
  return [...exact, ...expressions]
}

/** In the form of the query `labelSelector`. */
export function formatLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(formatOne).join(',')
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every((each) => matchesOne(each, labels))
}

function formatOne({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'in':
    case 'notin':
      if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`
      return `${key} ${operator} (${values.join(',')})`
  }
}

function matchesOne(
  { key, operator, values }: LabelRequirement,
  labels: Labels | undefined,
): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
  }
}

const operators = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: 'absent' } as const

const requirement =
  /^\s*(?:(?<set>[^\s=!,()<>]+)\s+(?<setOperator>in|notin)\s*\((?<members>[^()]*)\)|(?<key>[^\s=!,()<>]+)\s*(?<operator>==|=|!=)\s*(?<value>[^\s=!,()<>]*)|!\s*(?<absent>[^\s=!,()<>]+)|(?<exists>[^\s=!,()<>]+))\s*(?:,\s*|$)/

function read({ groups = {} }: RegExpExecArray): LabelRequirement {
  const { set, setOperator, members = '', key, operator, value = '', absent, exists = '' } = groups
  if (set !== undefined) {
    const values = members.split(',').map((member) => member.trim())
    return { key: set, operator: setOperator === 'in' ? 'in' : 'notin', values }
  }
  if (key !== undefined) {
    return { key, operator: operator === '!=' ? 'notin' : 'in', values: [value] }
  }
  if (absent !== undefined) return { key: absent, operator: 'absent', values: [] }
  return { key: exists, operator: 'exists', values: [] }
}

import type { LabelSelector } from '../kind/builtin-objects.ts'

type LabelOperator = 'in' | 'notin' | 'exists' | 'absent'

interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

/** The requirements of a LabelSelector object. An empty selector has none and matches everything. */
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

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every((each) => matchesOne(each, labels))
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

import { type LabelOperator, type LabelRequirement, matchesLabels } from './label-selector.ts'

/** The type LabelSelector. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | null
  readonly matchExpressions?:
    | readonly {
        readonly key: string
        readonly operator: string
        readonly values?: readonly string[] | null
      }[]
    | null
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/** Reports whether labels match. An empty selector matches everything, an unknown operator nothing. */
export function selectsLabels(
  selector: LabelSelectorObject,
  labels: Readonly<Record<string, string>>,
): boolean {
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: '=', values: [value] })
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = operators[operator]
    if (known === undefined) return false
    requirements.push({ key, operator: known, values: values ?? [] })
  }
  return matchesLabels(requirements, labels)
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelRequirement[]
}

interface LabelRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** Prints labels like kubectl: `a=1,b=2`. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}

/** Prints a selector in the syntax of `kubectl -l`; empty if it selects everything or nothing. */
export function selectorText(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }))
  const expressions = (selector?.matchExpressions ?? []).map((requirement) => ({
    key: requirement.key,
    text: requirementText(requirement),
  }))
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

/** Like `selectorText`, with a placeholder for an empty result. */
export function selectorOrNone(selector: LabelSelector | undefined): string {
  return selectorText(selector) || '<none>'
}

function requirementText({ key, operator, values = [] }: LabelRequirement): string {
  const list = `(${[...values].sort().join(',')})`
  switch (operator) {
    case 'In':
      return `${key} in ${list}`
    case 'NotIn':
      return `${key} notin ${list}`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}

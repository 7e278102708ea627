/** Rules as in a Role, and where they are needed. */
export interface Grant {
  /** None: in all namespaces, or of what is in none. */
  readonly namespace?: string
  readonly rules: readonly PolicyRule[]
}

export interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

/** From `[{"namespace": "agents", "rules": […]}]`. Throws an Error that says what is wrong with the text. */
export function parseGrants(text: string): readonly Grant[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('the rules are not JSON', { cause })
  }
  if (!Array.isArray(value) || !value.every(isGrant)) {
    throw new Error(
      'the rules are not of the form [{"namespace": …, "rules": [{"apiGroups": […], "resources": […], "verbs": […]}]}]',
    )
  }
  return value
}

function isGrant(value: unknown): value is Grant {
  if (typeof value !== 'object' || value === null || !('rules' in value)) return false
  const { namespace, rules } = value as { namespace?: unknown; rules: unknown }
  const isPlace = namespace === undefined || typeof namespace === 'string'
  return isPlace && Array.isArray(rules) && rules.every(isRule)
}

const lists = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const

function isRule(value: unknown): value is PolicyRule {
  if (typeof value !== 'object' || value === null) return false
  const rule = value as Record<string, unknown>
  if (!lists.every((key) => rule[key] === undefined || isWords(rule[key]))) return false
  // One that covers nothing would be met by everybody.
  const isOf = (key: string): boolean => isWords(rule[key]) && rule[key].length > 0
  return isOf('verbs') && (isOf('nonResourceURLs') || (isOf('apiGroups') && isOf('resources')))
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

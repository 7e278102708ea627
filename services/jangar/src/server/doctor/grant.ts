/** RBAC rules as in a Role, and the namespace in which they are needed. */
export interface Grant {
  /** If omitted, all namespaces or cluster-scoped resources. */
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

/** Parses `[{"namespace": "agents", "rules": […]}]`. Throws an Error that describes what is invalid. */
export function parseGrants(text: string): readonly Grant[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('the rules are not valid JSON', { cause })
  }
  if (!Array.isArray(value) || !value.every(isGrant)) {
    throw new Error(
      'the rules must have the form [{"namespace": …, "rules": [{"apiGroups": […], "resources": […], "verbs": […]}]}]',
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
  if (!lists.every((key) => rule[key] === undefined || isStringList(rule[key]))) return false
  // A rule that covers nothing would always be satisfied.
  const isOf = (key: string): boolean => isStringList(rule[key]) && rule[key].length > 0
  return isOf('verbs') && (isOf('nonResourceURLs') || (isOf('apiGroups') && isOf('resources')))
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

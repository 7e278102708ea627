/** The fields of RBAC objects that authorization needs. Missing lists count as empty. */

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Role {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly PolicyRule[] | null
}

export interface RoleSubject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface RoleBinding {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly RoleSubject[] | null
}

export interface Policy {
  readonly clusterRoles: readonly Role[]
  readonly roles: readonly Role[]
  readonly clusterRoleBindings: readonly RoleBinding[]
  readonly roleBindings: readonly RoleBinding[]
}

/** What a user requests to do. */
export interface AccessAttributes {
  readonly verb: string
  readonly isResource: boolean
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

export function ruleAllows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!includes(rule.verbs, wanted.verb)) return false
  if (!wanted.isResource)
    return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, wanted.path))
  return (
    includes(rule.apiGroups, wanted.group) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, wanted)) &&
    nameMatches(rule.resourceNames, wanted.name)
  )
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value))
}

// `pods`, `pods/log`, `*`, or `*/scale` for any resource's scale. `*` covers subresources too, a bare name does not.
function resourceMatches(pattern: string, { resource, subresource }: AccessAttributes): boolean {
  if (pattern === '*') return true
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  if (pattern === whole) return true
  return subresource !== '' && pattern === `*/${subresource}`
}

function nameMatches(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name)
}

function urlMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1))
}

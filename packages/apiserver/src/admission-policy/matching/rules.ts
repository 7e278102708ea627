import type { Resource } from '../../registry/resource.ts'
import type { ResourceRule } from '../policy-objects.ts'
import { isNamespace, type PolicyRequest } from '../policy-request.ts'

/**
 * Reports whether a rule matches the request as if it were sent to `resource`, possibly another version of its
 * resource.
 */
export function ruleMatches(
  rule: ResourceRule,
  request: PolicyRequest,
  resource: Pick<Resource, 'group' | 'version' | 'plural'>,
): boolean {
  return (
    inScope(rule, request, resource) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((one) => namesResource(one, resource.plural, request.subresource))
  )
}

/** A rule without resourceNames matches all objects. */
export function nameMatches(
  { resourceNames = [] }: ResourceRule,
  { name }: PolicyRequest,
): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name)
}

function includes(items: readonly string[] | undefined, wanted: string): boolean {
  return items?.some((item) => item === '*' || item === wanted) ?? false
}

/** Reports whether a pattern such as `pods/*` names a resource or subresource. */
export function namesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf('/')
  const main = slash === -1 ? pattern : pattern.slice(0, slash)
  const sub = slash === -1 ? '' : pattern.slice(slash + 1)
  return (main === '*' || main === plural) && (sub === '*' || sub === subresource)
}

/** Namespaces are cluster-scoped, although a request for one counts as a request in it. */
function inScope(
  { scope = '*' }: ResourceRule,
  { namespace }: PolicyRequest,
  resource: Pick<Resource, 'group' | 'plural'>,
): boolean {
  if (scope === '*') return true
  const isCluster = isNamespace(resource) || namespace === ''
  return scope === 'Cluster' ? isCluster : !isCluster
}

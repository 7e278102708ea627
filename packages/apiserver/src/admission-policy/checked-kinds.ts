import { maxTypeCheckedKinds } from '@agents/crd'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { PolicySpec, ResourceRule } from './policy-objects.ts'

/**
 * The resources whose schemas a policy is checked against, sorted by group, version and kind: those that its rules
 * name. Rules with a wildcard in group or version are skipped, and so are subresources.
 */
export function checkedResources({ matchConstraints }: PolicySpec, registry: Registry): Resource[] {
  const found = new Set<Resource>()
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const named = namedResources(rule, registry)
    for (const resource of named.slice(0, maxTypeCheckedKinds)) found.add(resource)
    if (named.length >= maxTypeCheckedKinds) break
  }
  return [...found].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  )
}

function namedResources(rule: ResourceRule, registry: Registry): Resource[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule
  if ([...apiGroups, ...apiVersions].some((one) => one.includes('*'))) return []
  const plurals = resources.filter((one) => !/[*/]/.test(one))
  return apiGroups.toSorted().flatMap((group) =>
    apiVersions.toSorted().flatMap((version) =>
      plurals.toSorted().flatMap((plural) =>
        registry.all().filter(
          (one) =>
            // Discovery finds a resource without a group in every group that serves it, so the core group matches any.
            (group === '' || one.group === group) &&
            one.version === version &&
            one.plural === plural,
        ),
      ),
    ),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

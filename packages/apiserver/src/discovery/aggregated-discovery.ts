import type { Resource, Subresource } from '../registry/resource.ts'
import { discoveredSubresources, discoveredVerbs } from './discovered-resource.ts'
import type { ServedGroup } from './served-groups.ts'

/** APIGroupDiscoveryList of apidiscovery.k8s.io/v2: all resources of some groups in one response. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(discoveredResource),
        freshness: 'Current',
      })),
    })),
  }
}

function discoveredResource(resource: Resource): object {
  const { shortNames, categories } = resource
  const subresources = discoveredSubresources(resource)
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, resource.kind),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: discoveredVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((each) => discoveredSubresource(resource, each)) }),
  }
}

function discoveredSubresource(resource: Resource, subresource: Subresource): object {
  const { name, group, version, kind, verbs } = subresource
  return {
    subresource: name,
    responseKind:
      version === undefined ? responseKind(resource, kind) : { group: group ?? '', version, kind },
    verbs,
  }
}

/**
 * Like upstream, sets the group for custom resources only. If empty, it is the group in which the resource is listed.
 */
function responseKind({ isCustom, group, version }: Resource, kind: string): object {
  return isCustom ? { group, version, kind } : { group: '', version: '', kind }
}

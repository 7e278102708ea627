import type { Resource } from '../registry/resource.ts'
import { discoveredSubresources, discoveredVerbs } from './discovered-resource.ts'
import type { ServedGroup, ServedVersion } from './served-groups.ts'
import { storageVersionHash } from './storage-version-hash.ts'

/** `/api`. */
export function apiVersions(group: ServedGroup | undefined, serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: group?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ name }) => name !== '')
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupFields) }
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) }
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList({ group, groupVersion, resources }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    // Like upstream, the list of the core group lacks this field.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion,
    resources: resources.flatMap(apiResources),
  }
}

function groupFields({ name, versions }: ServedGroup): object {
  const listed = versions.map(({ groupVersion, version }) => ({ groupVersion, version }))
  return { name, versions: listed, preferredVersion: listed[0] }
}

function apiResources(resource: Resource): object[] {
  const { plural, namespaced, shortNames, categories } = resource
  const hash = storageVersionHash(resource)
  const main = {
    name: plural,
    singularName: resource.singular,
    namespaced,
    kind: resource.kind,
    verbs: discoveredVerbs(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  }
  const below = discoveredSubresources(resource).map(({ name, group, version, kind, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(version === undefined ? {} : { group: group ?? '', version }),
    kind,
    verbs,
  }))
  return [main, ...below]
}

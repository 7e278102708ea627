import type { KubeObject } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { ObjectName } from './internal-client.ts'

/** Finds resources and objects by store key. */
export interface StoredResources {
  /** One resource for each storage prefix, since all versions of a resource share their objects. */
  all(): readonly Resource[]
  /** Resource, namespace and name of a stored object; `undefined` if it is no longer served. */
  nameOf(key: string, object: KubeObject): ObjectName | undefined
}

export function storedResources(registry: Registry): StoredResources {
  let generation = -1
  let byPrefix = new Map<string, Resource>()
  const current = (): ReadonlyMap<string, Resource> => {
    if (generation !== registry.generation) {
      generation = registry.generation
      byPrefix = indexByPrefix(registry)
    }
    return byPrefix
  }
  return {
    all: () => [...current().values()],
    nameOf(key, { metadata }) {
      const resource = current().get(prefixOf(key))
      if (resource === undefined) return undefined
      const namespace = resource.namespaced ? (metadata.namespace ?? '') : ''
      return { resource, namespace, name: metadata.name }
    },
  }
}

function indexByPrefix(registry: Registry): Map<string, Resource> {
  const byPrefix = new Map<string, Resource>()
  for (const resource of registry.all()) {
    const { storagePrefix, createVirtual } = resource
    if (createVirtual === undefined && !byPrefix.has(storagePrefix)) {
      byPrefix.set(storagePrefix, resource)
    }
  }
  return byPrefix
}

/** The prefix `/<group>/<resource>/` of a key. */
function prefixOf(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/', 1) + 1) + 1)
}

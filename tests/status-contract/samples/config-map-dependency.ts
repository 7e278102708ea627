import { fromInformer, mappedSource, type Source } from '@agents/controller'
import {
  type ConfigMap,
  ConfigMapKind,
  isNotFound,
  type KubeObject,
  type ObjectKey,
} from '@agents/kube'
import type { Dependency, WorldPorts } from '../contract-subject.ts'

/** A ConfigMap stands for whatever an object may refer to: it is there or not, and its coming is an event. */
export function configMapDependency(name: string): Dependency {
  return {
    create: ({ client, namespace }) =>
      client.create(ConfigMapKind, { metadata: { name, namespace } }),
    delete: ({ client, namespace }) =>
      client.delete(ConfigMapKind, { name, namespace }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      }),
  }
}

export interface WatchedConfigMaps {
  has(key: ObjectKey): boolean
  /** Brings all objects of the namespace to mind: there are few. */
  sourceFor(objects: () => readonly KubeObject[]): Source
}

export function watchConfigMaps({ informers, namespace }: WorldPorts): WatchedConfigMaps {
  const lease = informers.acquire<ConfigMap>(ConfigMapKind, { namespace })
  return {
    has: (key) => lease.informer.store.get(key) !== undefined,
    sourceFor: (objects) =>
      mappedSource('configmaps', fromInformer(lease), () =>
        objects().map(({ metadata }) => metadata),
      ),
  }
}

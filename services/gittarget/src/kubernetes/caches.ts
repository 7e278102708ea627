import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type ClusterWatchRule,
  clusterWatchRule,
  type GitProvider,
  type GitTarget,
  gitProvider,
  gitTarget,
  type WatchRule,
  watchRule,
} from '@agents/gittarget-api'
import {
  type ConfigMap,
  ConfigMapKind,
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  type Informers,
  kindRef,
  type Namespace,
  NamespaceKind,
  type Secret,
  SecretKind,
} from '@agents/kube'
import { DeletedNamespaces } from './deleted-namespaces.ts'

/** Caches of the objects that the controllers read, with one watch per kind. */
export interface Caches {
  readonly gitProviders: ResourceCache<GitProvider>
  readonly gitTargets: ResourceCache<GitTarget>
  readonly watchRules: ResourceCache<WatchRule>
  readonly clusterWatchRules: ResourceCache<ClusterWatchRule>
  /** Metadata without values, to requeue referrers and to detect new versions. */
  readonly secrets: ResourceCache<Secret>
  readonly configMaps: ResourceCache<ConfigMap>
  readonly namespaces: ResourceCache<Namespace>
  readonly deletedNamespaces: DeletedNamespaces
  readonly definitions: ResourceCache<CustomResourceDefinition>
}

export function openCaches(informers: Informers, namespaces: readonly string[]): Caches {
  const named = { transform: nameOnly, metadataOnly: true }
  const allNamespaces = resourceCache(informers, NamespaceKind, ['*'])
  return {
    gitProviders: resourceCache(informers, kindRef<GitProvider>(gitProvider), namespaces),
    gitTargets: resourceCache(informers, kindRef<GitTarget>(gitTarget), namespaces),
    watchRules: resourceCache(informers, kindRef<WatchRule>(watchRule), namespaces),
    clusterWatchRules: resourceCache(
      informers,
      kindRef<ClusterWatchRule>(clusterWatchRule),
      namespaces,
    ),
    secrets: resourceCache(informers, SecretKind, namespaces, named),
    configMaps: resourceCache(informers, ConfigMapKind, namespaces, named),
    namespaces: allNamespaces,
    deletedNamespaces: new DeletedNamespaces(allNamespaces),
    definitions: resourceCache(informers, CustomResourceDefinitionKind, ['*'], {
      transform: withoutSchema,
    }),
  }
}

/** Values are not cached or even requested, so that they cannot leak from here. */
function nameOnly<T extends Secret | ConfigMap>({ apiVersion, kind, metadata }: T): T {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as T
}

function withoutSchema(definition: CustomResourceDefinition): CustomResourceDefinition {
  return {
    ...definition,
    spec: { ...definition.spec, versions: [] },
  }
}

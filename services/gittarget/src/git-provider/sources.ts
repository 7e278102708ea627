import { mappedSource, type Source } from '@agents/controller'
import type { KubeObject, ObjectKey } from '@agents/kube'
import { providerNames } from '../git-target/sources.ts'
import type { Caches } from '../kubernetes/caches.ts'
import type { KeyWaker } from '../kubernetes/key-waker.ts'

/** What, beside the provider itself, is a reason to look at it. */
export const gitProviderSources = (caches: Caches, doubts: KeyWaker): Source[] => {
  const naming = ({ kind, metadata: { namespace, name } }: KubeObject): ObjectKey[] =>
    caches.gitProviders
      .list(namespace)
      .filter((provider) => providerNames(provider, kind, name))
      .map(({ metadata }) => metadata)
  return [
    mappedSource('secrets', caches.secrets, naming),
    mappedSource('configmaps', caches.configMaps, naming),
    doubts.source('doubts'),
  ]
}

import { mappedSource, type Source } from '@agents/controller'
import type { GitProvider } from '@agents/gittarget-api'
import type { KubeObject, ObjectKey } from '@agents/kube'
import type { Caches } from '../kubernetes/caches.ts'
import type { KeyWaker } from '../kubernetes/key-waker.ts'

/** Events, other than those of the provider itself, that requeue it. */
export function gitProviderSources(caches: Caches, failures: KeyWaker): Source[] {
  const referrers = ({ kind, metadata: { namespace, name } }: KubeObject): ObjectKey[] =>
    caches.gitProviders
      .list(namespace)
      .filter((provider) => refersTo(provider, kind, name))
      .map(({ metadata }) => metadata)
  return [
    mappedSource('secrets', caches.secrets, referrers),
    mappedSource('configmaps', caches.configMaps, referrers),
    failures.source('failures'),
  ]
}

/** Whether the provider refers to the Secret or ConfigMap of this name. */
export function refersTo({ spec }: GitProvider, kind: string, name: string): boolean {
  const { secretRef, knownHostsRef, commit } = spec
  if (knownHostsRef?.kind === kind && knownHostsRef.name === name) return true
  if (kind !== 'Secret') return false
  return secretRef?.name === name || commit.signing?.secretRef.name === name
}

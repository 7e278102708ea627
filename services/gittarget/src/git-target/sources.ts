import { generationChanged, labelsChanged, mappedSource, type Source } from '@agents/controller'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { formatKey, type KubeObject, type ObjectKey } from '@agents/kube'
import { refersTo } from '../git-provider/sources.ts'
import type { Caches } from '../kubernetes/caches.ts'
import { repositoryOf } from './paths/overlap.ts'
import { type GitTargetPorts, providerOf } from './target-ports.ts'

/** Events, other than those of the target itself, that requeue it: changes of everything that its gates read. */
export function gitTargetSources({ caches, mirrors, catalog }: GitTargetPorts): Source[] {
  const { gitTargets, gitProviders, watchRules, clusterWatchRules, namespaces } = caches
  return [
    mappedSource(
      'providers',
      gitProviders,
      (provider) => keys(targetsOfRepository(provider, caches)),
      generationChanged,
    ),
    mappedSource('secrets', caches.secrets, (secret) => keys(targetsNaming(secret, caches))),
    mappedSource('configmaps', caches.configMaps, (map) => keys(targetsNaming(map, caches))),
    mappedSource(
      'rules',
      watchRules,
      ({ metadata, spec }) => [{ namespace: metadata.namespace, name: spec.targetRef.name }],
      generationChanged,
    ),
    mappedSource(
      'cluster rules',
      clusterWatchRules,
      ({ spec }) => [spec.targetRef],
      generationChanged,
    ),
    mappedSource(
      'rivals',
      gitTargets,
      (target) => keys(rivalsOf(target, caches)),
      generationChanged,
    ),
    mappedSource(
      'namespaces',
      namespaces,
      () => clusterWatchRules.list().map(({ spec }) => spec.targetRef),
      labelsChanged,
    ),
    mirrors.source('mirrors', (target) => [target]),
    catalog.source('catalog', () => gitTargets.list().map(({ metadata }) => formatKey(metadata))),
  ]
}

function keys(targets: readonly GitTarget[]): ObjectKey[] {
  return targets.map(({ metadata: { namespace, name } }) => ({ namespace, name }))
}

/** The targets of all providers of the same repository: allowed branches decide which target owns a path. */
function targetsOfRepository(provider: GitProvider, caches: Caches): GitTarget[] {
  const { namespace, name } = provider.metadata
  const repository = repositoryOf(provider)
  return caches.gitTargets.list().filter((target) => {
    if (target.metadata.namespace === namespace && target.spec.providerRef.name === name) {
      return true
    }
    const other = providerOf(target, caches)
    return repository !== undefined && other !== undefined && repositoryOf(other) === repository
  })
}

/** The targets that refer to the object, directly or through their provider. */
function targetsNaming({ kind, metadata }: KubeObject, caches: Caches): GitTarget[] {
  const { namespace, name } = metadata
  const providers = new Set(
    caches.gitProviders
      .list(namespace)
      .filter((provider) => refersTo(provider, kind, name))
      .map((provider) => provider.metadata.name),
  )
  return caches.gitTargets
    .list(namespace)
    .filter(
      ({ spec }) =>
        providers.has(spec.providerRef.name) ||
        (kind === 'Secret' && encryptionNames(spec.encryption, name)),
    )
}

function encryptionNames(encryption: GitTarget['spec']['encryption'], name: string): boolean {
  return encryption?.secretRef?.name === name || encryption?.fingerprintRef?.name === name
}

/** The other targets of the same repository and branch: a path that one gives up, another may take. */
export function rivalsOf(target: GitTarget, caches: Caches): GitTarget[] {
  const provider = providerOf(target, caches)
  if (provider === undefined) return []
  return targetsOfRepository(provider, caches).filter(
    ({ metadata, spec }) =>
      metadata.uid !== target.metadata.uid && spec.branch === target.spec.branch,
  )
}

import { generationChanged, labelsChanged, mappedSource, type Source } from '@agents/controller'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { formatKey, type KubeObject, type ObjectKey } from '@agents/kube'
import type { Caches } from '../kubernetes/caches.ts'
import { repositoryOf } from './overlap.ts'
import { type GitTargetPorts, providerOf } from './target-ports.ts'

/** What, beside the target itself, is a reason to look at it: everything that its gates ask about. */
export const gitTargetSources = ({ caches, mirrors, catalog }: GitTargetPorts): Source[] => {
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

const keys = (targets: readonly GitTarget[]): ObjectKey[] =>
  targets.map(({ metadata: { namespace, name } }) => ({ namespace, name }))

/** Those that name the provider, and those of others of the same repository: what it allows decides who owns a path there. */
const targetsOfRepository = (provider: GitProvider, caches: Caches): GitTarget[] => {
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

/** Those that name the object themselves, or through their provider. */
const targetsNaming = ({ kind, metadata }: KubeObject, caches: Caches): GitTarget[] => {
  const { namespace, name } = metadata
  const providers = new Set(
    caches.gitProviders
      .list(namespace)
      .filter((provider) => providerNames(provider, kind, name))
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

const encryptionNames = (encryption: GitTarget['spec']['encryption'], name: string): boolean =>
  encryption?.secretRef?.name === name || encryption?.fingerprintRef?.name === name

export const providerNames = ({ spec }: GitProvider, kind: string, name: string): boolean => {
  const { secretRef, knownHostsRef, commit } = spec
  if (knownHostsRef?.kind === kind && knownHostsRef.name === name) return true
  if (kind !== 'Secret') return false
  return secretRef?.name === name || commit.signing?.secretRef.name === name
}

/** The other targets of the same repository and branch: what one gives up, another may take. */
const rivalsOf = (target: GitTarget, caches: Caches): GitTarget[] => {
  const provider = providerOf(target, caches)
  if (provider === undefined) return []
  return targetsOfRepository(provider, caches).filter(
    ({ metadata, spec }) =>
      metadata.uid !== target.metadata.uid && spec.branch === target.spec.branch,
  )
}

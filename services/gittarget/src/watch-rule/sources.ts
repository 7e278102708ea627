import { generationChanged, labelsChanged, mappedSource, type Source } from '@agents/controller'
import { formatKey } from '@agents/kube'
import type { RulePorts } from './reconciler.ts'

/** What, beside the rule itself, is a reason to look at it. */
export const watchRuleSources = ({ caches, mirrors, catalog }: RulePorts): Source[] => {
  const { watchRules, gitTargets } = caches
  const rulesOf = (target: string): string[] =>
    watchRules
      .list()
      .filter(({ metadata: { namespace }, spec: { targetRef } }) => {
        return formatKey({ namespace, name: targetRef.name }) === target
      })
      .map(({ metadata }) => formatKey(metadata))
  return [
    mappedSource(
      'targets',
      gitTargets,
      ({ metadata: { namespace, name } }) =>
        watchRules
          .list(namespace)
          .filter(({ spec }) => spec.targetRef.name === name)
          .map(({ metadata }) => metadata),
      generationChanged,
    ),
    mirrors.source('mirrors', rulesOf),
    catalog.source('catalog', () => watchRules.list().map(({ metadata }) => formatKey(metadata))),
  ]
}

export const clusterWatchRuleSources = ({ caches, mirrors, catalog }: RulePorts): Source[] => {
  const { clusterWatchRules, gitTargets, namespaces } = caches
  const all = (): string[] => clusterWatchRules.list().map(({ metadata }) => metadata.name)
  const rulesOf = (target: string): string[] =>
    clusterWatchRules
      .list()
      .filter(({ spec }) => formatKey(spec.targetRef) === target)
      .map(({ metadata }) => metadata.name)
  return [
    mappedSource(
      'targets',
      gitTargets,
      ({ metadata }) => rulesOf(formatKey(metadata)).map((name) => ({ name })),
      generationChanged,
    ),
    mappedSource('namespaces', namespaces, () => all().map((name) => ({ name })), labelsChanged),
    mirrors.source('mirrors', rulesOf),
    catalog.source('catalog', all),
  ]
}

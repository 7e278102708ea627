import { generationChanged, labelsChanged, mappedSource, type Source } from '@agents/controller'
import { formatKey } from '@agents/kube'
import type { RulePorts } from '../watch-rule/resolved-rule.ts'

/** Events, other than those of the rule itself, that requeue it. */
export function clusterWatchRuleSources({ caches, mirrors, catalog }: RulePorts): Source[] {
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

import { generationChanged, mappedSource, type Source } from '@agents/controller'
import { formatKey } from '@agents/kube'
import { type RulePorts, targetKeyOf } from './resolved-rule.ts'

/** Events, other than those of the rule itself, that requeue it. */
export function watchRuleSources({ caches, mirrors, catalog }: RulePorts): Source[] {
  const { watchRules, gitTargets } = caches
  const rulesOf = (target: string): string[] =>
    watchRules
      .list()
      .filter((rule) => targetKeyOf(rule) === target)
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

import type { ClusterWatchRule, GitTarget, WatchRule } from '@agents/gittarget-api'
import type { KubeObject, Namespace, ServedResource } from '@agents/kube'
import { expect, test } from 'vitest'
import { targetPlan } from './target-plan.ts'

const served: ServedResource[] = ['configmaps', 'services'].map((resource) => ({
  ...{ group: '', version: 'v1', resource, kind: resource, namespaced: true },
  ...{ verbs: ['list', 'watch'], shortNames: [], categories: [], subresources: [] },
}))

const target = {
  metadata: { name: 'mirror', namespace: 'team' },
  spec: { allowClusterRules: true },
} as unknown as GitTarget

function ruleOf(name: string, terms: object): WatchRule {
  return {
    metadata: { name, namespace: 'team', uid: name, generation: 1 },
    spec: {
      targetRef: { name: 'mirror', namespace: 'team' },
      rules: [{ operations: ['*'], resources: ['configmaps'], ...terms }],
    },
  } as unknown as WatchRule
}

function cacheOf<T extends KubeObject>(...objects: T[]) {
  return { list: () => [...objects], get: () => undefined }
}

/** The rules that select something. */
function selecting(own: readonly WatchRule[], cluster: readonly WatchRule[] = []): string[] {
  const caches = {
    watchRules: cacheOf(...own),
    clusterWatchRules: cacheOf(...cluster.map((rule) => rule as unknown as ClusterWatchRule)),
    namespaces: cacheOf<Namespace>(),
    gitTargets: cacheOf<GitTarget>(target),
  }
  return targetPlan(target, caches, served).selections.map(({ rule }) => rule)
}

test('a rule that cannot be used does not stop the other rules of its target', () => {
  const good = ruleOf('good', { excludeNames: ['tmp-*'] })
  const bad = ruleOf('bad', { excludeNames: ['[z-a]'] })
  const wide = { scope: 'Namespaced', resources: ['services'] }
  const goodOfAll = ruleOf('good', { ...wide, excludeNamespaces: ['kube-*'] })
  const badOfAll = ruleOf('bad', { ...wide, excludeNamespaces: ['[z-a]'] })
  expect(selecting([bad, good], [badOfAll, goodOfAll])).toEqual(['team/good', '/good'])
})

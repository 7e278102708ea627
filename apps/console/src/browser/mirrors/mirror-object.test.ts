import type { ApiObject } from '@agents/client'
import { expect, test } from 'vitest'
import { ignoredFields, selectionsOf } from './mirror-object.ts'

const target = objectOf('mirror', {})

test('rules of the target say what they select and what they leave out', () => {
  const rules = [
    objectOf('all', {
      targetRef: { name: 'mirror' },
      rules: [
        { resources: ['*'], excludeNames: ['tmp-*', 'scratch'] },
        { resources: ['configmaps', 'services'], objectSelector: { matchLabels: { a: 'b' } } },
        { resources: ['*'], ownedObjects: 'Include' },
      ],
    }),
    objectOf('of another target', { targetRef: { name: 'other' }, rules: [{ resources: ['*'] }] }),
    objectOf('broken', {}),
    ofCluster({ name: 'mirror', namespace: 'agents' }),
    ofCluster({ name: 'mirror', namespace: 'other' }),
  ]
  expect(selectionsOf(rules, target)).toEqual([
    { rule: 'all', resources: 'all', leftOut: 'what controllers create; tmp-*, scratch' },
    {
      rule: 'all',
      resources: 'configmaps, services',
      leftOut: 'objects without the labels of the rule',
    },
    { rule: 'all', resources: 'all', leftOut: '' },
    { rule: 'of the cluster', resources: 'secrets', leftOut: 'namespaces kube-*' },
  ])
})

test('ignored fields are written with their resources', () => {
  const fields = [{ resources: ['deployments'], paths: ['/spec/replicas', '/spec/paused'] }]
  expect(ignoredFields({ ignore: { fields } })).toBe('deployments: /spec/replicas, /spec/paused')
})

function ofCluster(targetRef: object): ApiObject {
  const rules = [{ resources: ['secrets'], excludeNamespaces: ['kube-*'] }]
  const spec = { targetRef, rules }
  return { apiVersion: 'v1', kind: 'X', metadata: { name: 'of the cluster' }, spec }
}

function objectOf(name: string, spec: object): ApiObject {
  return { apiVersion: 'v1', kind: 'X', metadata: { name, namespace: 'agents' }, spec }
}

import type { WatchRule } from '@agents/gittarget-api'
import type { KubeObject, OwnerReference, ServedResource } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { selectByWatchRule } from './selection.ts'

const served = (resource: string): ServedResource => ({
  group: 'apps',
  version: 'v1',
  resource,
  kind: resource,
  namespaced: true,
  verbs: ['list', 'watch'],
  shortNames: [],
  categories: [],
  subresources: [],
})

type Terms = Partial<WatchRule['spec']['rules'][number]>

/** Whether the rule takes a ReplicaSet with these labels, name and owners. */
const takes = (terms: Terms, metadata: Partial<KubeObject['metadata']>): boolean => {
  const rule = {
    metadata: { name: 'rule', namespace: 'team' },
    spec: { targetRef: { name: 't' }, rules: [{ operations: ['*'], resources: ['*'], ...terms }] },
  } as unknown as WatchRule
  const options = { served: [served('replicasets')], encrypts: false }
  const object = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'a', namespace: 'team', ...metadata },
  }
  return selectByWatchRule(rule, options).selections.some(({ chooses }) => chooses(object))
}

const owner = (controller?: boolean): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'a',
  uid: '1',
  ...(controller !== undefined && { controller }),
})
const owned = { ownerReferences: [owner(), owner(true)] }

describe('a rule takes', () => {
  test.each<[boolean, Terms, Partial<KubeObject['metadata']>, string]>([
    [true, {}, {}, 'nobody owns it'],
    [false, {}, owned, 'its controller would make it again'],
    [true, {}, { ownerReferences: [owner(), owner(false)] }, 'such an owner only cleans up'],
    [true, { resources: ['replicasets'] }, owned, 'somebody asked for these by name'],
    [true, { resources: ['*', 'replicasets'] }, owned, 'also when everything else is asked for'],
    [true, { ownedObjects: 'Include' }, owned, 'somebody wants them'],
    [
      false,
      { resources: ['replicasets'], ownedObjects: 'Exclude' },
      owned,
      'somebody does not want them',
    ],
    [false, { excludeNames: ['a*'] }, {}, 'its name is excluded'],
    [false, { objectSelector: { matchLabels: { a: 'b' } } }, {}, 'it has no such label'],
    [true, { objectSelector: { matchLabels: { a: 'b' } } }, { labels: { a: 'b' } }, 'it has'],
    [false, {}, { namespace: 'other' }, 'it is elsewhere'],
  ])('%s: %j of %j, because %s', (expected, terms, metadata) => {
    expect(takes(terms, metadata)).toBe(expected)
  })
})

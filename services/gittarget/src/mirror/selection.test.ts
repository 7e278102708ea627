import type { WatchRule } from '@agents/gittarget-api'
import {
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type ServedResource,
} from '@agents/kube'
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

/** Whether the rule takes an object with these labels, name and owners: a ReplicaSet, unless another type is given. */
const takes = (
  terms: Terms,
  metadata: Partial<KubeObject['metadata']>,
  type = { apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets' },
): boolean => {
  const rule = {
    metadata: { name: 'rule', namespace: 'team' },
    spec: { targetRef: { name: 't' }, rules: [{ operations: ['*'], resources: ['*'], ...terms }] },
  } as unknown as WatchRule
  const { resource, ...own } = type
  const { group } = parseApiVersion(own.apiVersion)
  const isKey = ({ name }: { name: string }): boolean => name === 'age-key'
  const options = { served: [{ ...served(resource), group }], encrypts: true, isKey }
  const object = {
    ...own,
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

  const ofType = (apiVersion: string, kind: string) => ({
    apiVersion,
    kind,
    resource: `${kind.toLowerCase()}s`,
  })
  const configMap = ofType('v1', 'ConfigMap')
  const role = ofType('rbac.authorization.k8s.io/v1', 'Role')
  const isDefault = { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } }
  const isKept = {
    ...isDefault,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' },
  }

  test.each<[boolean, Terms, Partial<KubeObject['metadata']>, typeof configMap, string]>([
    [false, {}, { name: 'kube-root-ca.crt' }, configMap, 'every cluster has its own'],
    [true, { resources: ['configmaps'] }, { name: 'kube-root-ca.crt' }, configMap, 'it is named'],
    [
      true,
      {},
      { name: 'kube-root-ca.crt' },
      ofType('x.test/v1', 'ConfigMap'),
      'it is another kind',
    ],
    [false, {}, isDefault, role, 'every server makes these'],
    [true, { ownedObjects: 'Include' }, isDefault, role, 'somebody wants them'],
    [true, {}, isKept, role, 'a person has told the server to leave it alone'],
    [false, {}, { name: 'age-key' }, ofType('v1', 'Secret'), 'it is a key of a mirror'],
    [
      false,
      { resources: ['secrets'], ownedObjects: 'Include' },
      { name: 'age-key' },
      ofType('v1', 'Secret'),
      'a key is no business of anybody, whoever asks for it',
    ],
    [true, {}, { name: 'db' }, ofType('v1', 'Secret'), 'it is any other Secret'],
    [true, {}, { name: 'age-key' }, configMap, 'a ConfigMap is no key'],
  ])('%s: %j of %j of %j, because %s', (expected, terms, metadata, type) => {
    expect(takes(terms, metadata, type)).toBe(expected)
  })
})

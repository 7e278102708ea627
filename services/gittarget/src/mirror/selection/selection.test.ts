import type { ClusterWatchRule, WatchRule } from '@agents/gittarget-api'
import {
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type ServedResource,
} from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { selectByClusterWatchRule, selectByWatchRule } from './selection.ts'

function served(resource: string): ServedResource {
  return {
    group: 'apps',
    version: 'v1',
    resource,
    kind: resource,
    namespaced: true,
    verbs: ['list', 'watch'],
    shortNames: [],
    categories: [],
    subresources: [],
  }
}

type Terms = Partial<WatchRule['spec']['rules'][number]>

/** Whether the rule selects an object with this metadata. The default type is ReplicaSet. */
function takes(
  terms: Terms,
  metadata: Partial<KubeObject['metadata']>,
  type = { apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets' },
): boolean {
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
  return selectByWatchRule(rule, options).selections.some(({ selects }) => selects(object))
}

function owner(controller?: boolean): OwnerReference {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'a',
    uid: '1',
    ...(controller !== undefined && { controller }),
  }
}

const owned = { ownerReferences: [owner(), owner(true)] }

describe('a rule selects', () => {
  test.each<[boolean, Terms, Partial<KubeObject['metadata']>, string]>([
    [true, {}, {}, 'it has no owner'],
    [false, {}, owned, 'its controller would recreate it'],
    [
      true,
      {},
      { ownerReferences: [owner(), owner(false)] },
      'such an owner is only used for garbage collection',
    ],
    [true, { resources: ['replicasets'] }, owned, 'the resource is listed by name'],
    [true, { resources: ['*', 'replicasets'] }, owned, 'it is listed beside a wildcard'],
    [true, { ownedObjects: 'Include' }, owned, 'owned objects are included'],
    [
      false,
      { resources: ['replicasets'], ownedObjects: 'Exclude' },
      owned,
      'owned objects are excluded',
    ],
    [false, { excludeNames: ['a*'] }, {}, 'its name is excluded'],
    [false, { objectSelector: { matchLabels: { a: 'b' } } }, {}, 'the label is missing'],
    [
      true,
      { objectSelector: { matchLabels: { a: 'b' } } },
      { labels: { a: 'b' } },
      'the label matches',
    ],
    [false, {}, { namespace: 'other' }, 'it is in another namespace'],
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
    [false, {}, { name: 'kube-root-ca.crt' }, configMap, 'the cluster creates it'],
    [true, { resources: ['configmaps'] }, { name: 'kube-root-ca.crt' }, configMap, 'it is named'],
    [
      true,
      {},
      { name: 'kube-root-ca.crt' },
      ofType('x.test/v1', 'ConfigMap'),
      'it is another kind',
    ],
    [false, {}, isDefault, role, 'the server creates default roles'],
    [true, { ownedObjects: 'Include' }, isDefault, role, 'owned objects are included'],
    [true, {}, isKept, role, 'autoupdate is disabled'],
    [false, {}, { name: 'age-key' }, ofType('v1', 'Secret'), 'it is a key of a mirror'],
    [
      false,
      { resources: ['secrets'], ownedObjects: 'Include' },
      { name: 'age-key' },
      ofType('v1', 'Secret'),
      'a key is never mirrored',
    ],
    [true, {}, { name: 'db' }, ofType('v1', 'Secret'), 'it is any other Secret'],
    [true, {}, { name: 'age-key' }, configMap, 'a ConfigMap is not a key'],
  ])('%s: %j of %j of %j, because %s', (expected, terms, metadata, type) => {
    expect(takes(terms, metadata, type)).toBe(expected)
  })
})

describe('a cluster rule', () => {
  test.each<[boolean, object, string, string]>([
    [true, {}, 'shop', 'no namespace is excluded'],
    [false, { excludeNamespaces: ['kube-*'] }, 'kube-system', 'the pattern matches'],
    [true, { excludeNamespaces: ['kube-*'] }, 'my-kube-system', 'patterns match whole names'],
    [false, { excludeNamespaces: ['a', 'preview-[0-9]'] }, 'preview-7', 'one of them matches'],
    [
      false,
      { excludeNamespaces: ['shop'], namespaceSelector: { matchLabels: { a: 'b' } } },
      'shop',
      'an exclusion is stronger than a selector',
    ],
    [
      true,
      { excludeNamespaces: ['other'], namespaceSelector: { matchLabels: { a: 'b' } } },
      'shop',
      'the selector matches',
    ],
  ])('selects: %s with %j in %s, because %s', (expected, terms, namespace) => {
    const rules = [{ scope: 'Namespaced', operations: ['*'], resources: ['*'], ...terms }]
    const rule = { metadata: { name: 'rule' }, spec: { rules } } as unknown as ClusterWatchRule
    const options = { served: [served('replicasets')], encrypts: true }
    const { selections } = selectByClusterWatchRule(rule, options, () => ({ a: 'b' }))
    const object = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a', namespace } }
    expect(selections.some(({ selects }) => selects(object))).toBe(expected)
    expect(selections.some(({ covers }) => covers(namespace))).toBe(expected)
  })
})

describe('patterns of a tenant', () => {
  const patterns = Array.from({ length: 128 }, (_, index) => `${'*a'.repeat(120)}${index}b`)

  test('cost what their length says, however many stars they have', () => {
    // A matcher that goes back needs more steps for one of them than a machine does in years.
    expect(takes({ excludeNames: patterns }, { name: 'a'.repeat(253) })).toBe(true)
  })

  test('that are invalid stop the terms that have them, and nothing else', () => {
    const rule = (excludeNames: readonly string[]) => ({
      operations: ['*'],
      resources: ['replicasets'],
      excludeNames,
    })
    const { selections, problems } = selectByWatchRule(
      {
        metadata: { name: 'rule', namespace: 'team' },
        spec: { targetRef: { name: 't' }, rules: [rule(['[z-a]']), rule(['x'])] },
      } as unknown as WatchRule,
      { served: [served('replicasets')], encrypts: true },
    )
    expect(selections).toHaveLength(1)
    expect(problems).toEqual([
      {
        resource: 'replicasets',
        reason: 'PatternInvalid',
        message: 'excludeNames or excludeNamespaces has an invalid pattern [z-a]; correct it',
      },
    ])
  })
})

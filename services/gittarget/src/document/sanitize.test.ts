import type { KubeObject } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sanitize } from './sanitize.ts'

function object(apiVersion: string, kind: string, rest: object, metadata: object = {}): KubeObject {
  return { apiVersion, kind, ...rest, metadata: { name: 'x', ...metadata } } as KubeObject
}

const kept: readonly [string, string, object, string][] = [
  [
    'v1',
    'Service',
    { spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 1 }] } },
    'headless is a choice',
  ],
  [
    'v1',
    'Service',
    { spec: { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] } },
    'so is dual stack',
  ],
  [
    'v1',
    'Service',
    { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] } },
    'and the less common family',
  ],
  [
    'v1',
    'Service',
    { spec: { internalTrafficPolicy: 'Local', ports: [{ nodePort: 30080 }] } },
    'ports may be chosen',
  ],
  [
    'serving.knative.dev/v1',
    'Service',
    { spec: { clusterIP: '10.0.0.1' } },
    'only the core Service has such a field',
  ],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    { provisioner: 'p', parameters: { a: 'b' }, volumeBindingMode: 'Immediate' },
    'unknown fields stay',
  ],
  [
    'v1',
    'ConfigMap',
    { immutable: true, binaryData: { a: 'AA==' } },
    'immutable and binary data stay',
  ],
  [
    'batch/v1',
    'Job',
    { spec: { manualSelector: true, selector: { matchLabels: { a: 'b' } } } },
    'a selector by hand is meant',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    { spec: { volumeName: 'pv', volumeMode: 'Block' } },
    'a volume by name is meant',
  ],
  [
    'v1',
    'ServiceAccount',
    { secrets: [{ name: 'x-token-mine' }, { name: 'other' }] },
    'these were not generated',
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { rules: [{ verbs: ['get'] }] },
    'rules by hand are the role',
  ],
]

const dropped: readonly [string, string, object, object, object, string][] = [
  [
    'v1',
    'Service',
    {
      spec: {
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        type: 'ClusterIP',
        healthCheckNodePort: 1,
      },
    },
    {},
    { spec: { type: 'ClusterIP' } },
    'addresses are allocated',
  ],
  [
    'v1',
    'Service',
    { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], ports: [] } },
    {},
    { spec: { ports: [] } },
    'this is the default',
  ],
  ['v1', 'Namespace', { spec: { finalizers: ['kubernetes'] } }, {}, {}, 'the server put it there'],
  [
    'v1',
    'Pod',
    {
      spec: {
        nodeName: 'n',
        priority: 0,
        serviceAccount: 'd',
        serviceAccountName: 'd',
        volumes: [{ name: 'kube-api-access-1' }],
        containers: [
          { name: 'c', volumeMounts: [{ name: 'kube-api-access-1' }, { name: 'mine' }] },
        ],
      },
    },
    {},
    {
      spec: {
        serviceAccountName: 'd',
        containers: [{ name: 'c', volumeMounts: [{ name: 'mine' }] }],
      },
    },
    'scheduling and admission added it',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    { spec: { volumeName: 'pv', storageClassName: 's' } },
    { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    { spec: { storageClassName: 's' } },
    'the controller chose the volume',
  ],
  [
    'v1',
    'PersistentVolume',
    { spec: { claimRef: { name: 'c', namespace: 'n', uid: 'u', resourceVersion: '1' } } },
    {},
    { spec: { claimRef: { name: 'c', namespace: 'n' } } },
    'the claim is meant, not this one of it',
  ],
  [
    'v1',
    'ServiceAccount',
    { secrets: [{ name: 'x-token-ab1cd' }] },
    {},
    {},
    'the server generated it',
  ],
  [
    'v1',
    'Secret',
    {
      type: 'kubernetes.io/service-account-token',
      data: { token: 'a', 'ca.crt': 'b', namespace: 'c', mine: 'd' },
    },
    {
      annotations: {
        'kubernetes.io/service-account.uid': 'u',
        'kubernetes.io/service-account.name': 'n',
      },
    },
    {
      type: 'kubernetes.io/service-account-token',
      data: { mine: 'd' },
      metadata: { name: 'x', annotations: { 'kubernetes.io/service-account.name': 'n' } },
    },
    'tokens are filled in',
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { aggregationRule: { clusterRoleSelectors: [] }, rules: [{ verbs: ['get'] }] },
    {},
    { aggregationRule: { clusterRoleSelectors: [] } },
    'the aggregation fills rules in',
  ],
  [
    'batch/v1',
    'Job',
    {
      spec: {
        selector: { matchLabels: { 'controller-uid': 'u' } },
        template: {
          metadata: {
            creationTimestamp: null,
            labels: { 'controller-uid': 'u', 'batch.kubernetes.io/job-name': 'x' },
          },
          spec: {},
        },
      },
    },
    {},
    { spec: { template: { spec: {} } } },
    'the selector fits this job only',
  ],
  [
    'apps/v1',
    'Deployment',
    {
      spec: { template: { metadata: { creationTimestamp: null, labels: { a: 'b' } } } },
      status: { replicas: 1 },
    },
    { annotations: { 'deployment.kubernetes.io/revision': '3' } },
    { spec: { template: { metadata: { labels: { a: 'b' } } } } },
    'status and revisions are observed',
  ],
  [
    'batch/v1',
    'CronJob',
    {
      spec: {
        jobTemplate: {
          metadata: { creationTimestamp: null },
          spec: { template: { metadata: { creationTimestamp: null }, spec: {} } },
        },
      },
    },
    {},
    { spec: { jobTemplate: { spec: { template: { spec: {} } } } } },
    'Go writes such times',
  ],
]

describe('sanitize', () => {
  test.each(kept)('keeps %s %s as it is: %j (%s)', (apiVersion, kind, rest) => {
    expect(sanitize(object(apiVersion, kind, rest))).toEqual({
      apiVersion,
      kind,
      ...rest,
      metadata: { name: 'x' },
    })
  })

  test.each(dropped)(
    'removes from %s %s what no user wrote: %j',
    (apiVersion, kind, rest, metadata, expected) => {
      expect(sanitize(object(apiVersion, kind, rest, metadata))).toEqual({
        apiVersion,
        kind,
        metadata: { name: 'x' },
        ...expected,
      })
    },
  )

  test('removes metadata of the server and of tools', () => {
    const metadata = {
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: 't',
      deletionTimestamp: 't',
      managedFields: [],
      ownerReferences: [{ uid: 'u' }],
      finalizers: ['a/b'],
      labels: { app: 'a', 'kustomize.toolkit.fluxcd.io/name': 'k' },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'argocd.argoproj.io/tracking-id': 'i',
      },
    }
    expect(sanitize(object('v1', 'ConfigMap', {}, metadata)).metadata).toEqual({
      name: 'x',
      namespace: 'n',
      labels: { app: 'a' },
    })
  })

  test('is idempotent, and does not modify its input', () => {
    const samples = fc.constantFrom(
      ...kept.map(([apiVersion, kind, rest]) => object(apiVersion, kind, rest)),
      ...dropped.map(([apiVersion, kind, rest, metadata]) =>
        object(apiVersion, kind, rest, metadata),
      ),
    )
    fc.assert(
      fc.property(samples, (given) => {
        const before = structuredClone(given)
        const once = sanitize(given)
        expect(sanitize(once as unknown as KubeObject)).toEqual(once)
        expect(given).toEqual(before)
      }),
    )
  })
})

import type { Random } from '../fuzz/random.ts'
import {
  configMaps,
  core,
  keys,
  type LargeRequest,
  list,
  type Make,
  send,
  tried,
  widgets,
} from './large-request.ts'

/** Objects with many values, for each part of the server that reads them. */
export const objects: readonly Make[] = [
  (n, random) => configMap(random, {}, { data: keys(n, () => 'x') }),
  (n, random) => configMap(random, {}, { data: { a: 'x\n"\\'.repeat(n) } }),
  (n, random) => configMap(random, {}, { binaryData: keys(n, () => 'AAEC') }),
  (n, random) =>
    configMap(
      random,
      {},
      keys(n, () => 1),
    ),
  (n, random) => configMap(random, {}, { data: keys(n, () => 1) }),
  (n, random) => configMap(random, { annotations: keys(n, () => 'x') }),
  (n, random) => configMap(random, { labels: keys(n, () => 'x') }),
  (n, random) => configMap(random, { labels: keys(n, () => '#', 'k/ /') }),
  (n, random) => configMap(random, { name: '-a.'.repeat(n) }),
  (n, random) => configMap(random, { labels: { ['a.'.repeat(n)]: '-'.repeat(n) } }),
  (n, random) => configMap(random, { finalizers: list(n, (at) => `a.b/c${at}`) }),
  (n, random) =>
    configMap(
      random,
      keys(n, () => 1),
    ),
  (n, random) =>
    configMap(random, {
      ownerReferences: list(n / 5, (at) => ({
        ...{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: `u${at % 999}` },
      })),
    }),
  (n, random) =>
    configMap(random, {
      managedFields: list(n / 6, (at) => ({
        ...{ manager: `m${at}`, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
        fieldsV1: { [`f:k${at}`]: {} },
      })),
    }),
  (n, random) =>
    configMap(random, {
      managedFields: [
        {
          ...{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
          fieldsV1: { 'f:data': keys(n, () => ({}), 'f:k') },
        },
      ],
    }),
  (n, random) => widget(random, { free: { a: list(n, () => 1) } }),
  (n, random) => widget(random, { free: { a: list(n / 2, () => ({})) } }),
  (n, random) => widget(random, { free: keys(n, (at) => at) }),
  (n, random) =>
    widget(
      random,
      keys(n, () => null),
    ),
  (n, random) => widget(random, { parts: list(n / 3, (at) => ({ name: `p${at}`, weight: at })) }),
  (n, random) => widget(random, { size: `${'a'.repeat(n)}!` }),
  (n, random) => widget(random, { size: 'a'.repeat(n) }),
  (n, random) =>
    podOf(random, { containers: list(n / 3, (at) => ({ name: `c${at}`, image: 'x' })) }),
  (n, random) => podOf(random, { tolerations: list(n / 2, (at) => ({ key: `k${at}` })) }),
  (n, random) =>
    podOf(random, {
      volumes: list(n / 5, (at) => ({ name: `v${at}`, emptyDir: {} })),
      containers: [
        {
          name: 'c',
          volumeMounts: list(n / 5, (at) => ({ name: `v${at}`, mountPath: `/${at}` })),
          env: list(n / 5, (at) => ({ name: `A${at}`, value: `$(A${at})` })),
        },
      ],
    }),
  (n, random) =>
    kind(random, `${core}/services`, 'v1', 'Service', {
      spec: { ports: list(n / 3, (at) => ({ name: `p${at}`, port: 1 + (at % 65_535) })) },
    }),
  (n, random) =>
    kind(
      random,
      '/apis/rbac.authorization.k8s.io/v1/namespaces/fuzz/roles',
      'rbac.authorization.k8s.io/v1',
      'Role',
      { rules: list(n / 7, () => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'] })) },
    ),
  (n) => review({ groups: list(n, (at) => `g${at}`) }),
  (n) => review({ extra: keys(n / 2, () => ['x']) }),
  (n) =>
    send(`${core}/serviceaccounts/default/token`, {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
      spec: { audiences: list(n, (at) => `a${at}`) },
    }),
  (n) =>
    send('/apis/authentication.k8s.io/v1/tokenreviews', {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
      spec: { token: 'a.'.repeat(n) },
    }),
  (n) =>
    send(
      `${configMaps}/absent`,
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        dryRun: list(n, () => 'All'),
        ...keys(n, () => 1),
      },
      { method: 'DELETE' },
    ),
]

function configMap(random: Random, metadata: object, content: object = {}): LargeRequest {
  return send(tried(random, configMaps), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `large${random.integer(5)}`, ...metadata },
    ...content,
  })
}

function widget(random: Random, spec: object): LargeRequest {
  return send(tried(random, widgets), {
    apiVersion: 'fuzz.example.dev/v1',
    kind: 'Widget',
    metadata: { name: `large${random.integer(5)}` },
    spec,
  })
}

function kind(random: Random, path: string, apiVersion: string, name: string, rest: object) {
  return send(tried(random, path), { apiVersion, kind: name, metadata: { name: 'large' }, ...rest })
}

function podOf(random: Random, spec: object) {
  return kind(random, `${core}/pods`, 'v1', 'Pod', {
    spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
  })
}

function review(spec: object) {
  return send('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' }, ...spec },
  })
}

import type { Json } from '@agents/crd'
import { beforeAll } from 'vitest'
import { conformance, type Row } from './suite.ts'
import { definitionOf, serve, widgetsOf } from './widget.ts'

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'some-uid' }

const badNames = [
  'Upper',
  'under_score',
  '-dash',
  'dash-',
  '.dot',
  'dot.',
  'two..dots',
  'space here',
  'slash/here',
  'per%cent',
  'ümlaut',
  '.',
  '..',
  'a'.repeat(254),
]

type Metadata = readonly (readonly [string, { [key: string]: Json }])[]

const invalidMetadata: Metadata = [
  ['a label without a name', { labels: { '': 'x' } }],
  ['a label with an invalid name', { labels: { 'a b': 'x' } }],
  ['a label with an invalid prefix', { labels: { 'Bad_/a': 'x' } }],
  ['a label with two slashes', { labels: { 'a/b/c': 'x' } }],
  ['a label whose name is too long', { labels: { ['a'.repeat(64)]: 'x' } }],
  ['a label with an invalid value', { labels: { a: 'not valid' } }],
  ['a label whose value is too long', { labels: { a: 'x'.repeat(64) } }],
  ['two wrong labels', { labels: { a: '-', b: '-' } }],
  ['an annotation with an invalid name', { annotations: { 'a b': 'x' } }],
  ['annotations that are too large', { annotations: { a: 'x'.repeat(256 * 1024) } }],
  ['an invalid finalizer', { finalizers: ['example.dev/not valid'] }],
  ['finalizers that exclude each other', { finalizers: ['orphan', 'foregroundDeletion'] }],
  ['an owner without a kind', { ownerReferences: [{ ...owner, kind: '' }] }],
  ['an owner without a name', { ownerReferences: [{ ...owner, name: '' }] }],
  ['an owner without a uid', { ownerReferences: [{ ...owner, uid: '' }] }],
  ['an owner without an apiVersion', { ownerReferences: [{ ...owner, apiVersion: '' }] }],
  ['an owner with an invalid apiVersion', { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] }],
  ['an event as owner', { ownerReferences: [{ ...owner, kind: 'Event' }] }],
  [
    'two controllers',
    {
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'other', uid: 'other', controller: true },
      ],
    },
  ],
]

const unreadableMetadata: Metadata = [
  ['labels that are no map', { labels: ['a'] }],
  ['a label that is a number', { labels: { a: 1 } }],
  ['an annotation that is a boolean', { annotations: { a: true } }],
  ['a finalizer that is a number', { finalizers: [1] }],
  ['a name that is a number', { name: 7 }],
  ['a creation time that is no time', { creationTimestamp: 'yesterday' }],
  ['a generation that is text', { generation: 'one' }],
]

const toleratedMetadata: Metadata = [
  ['an unknown field of metadata', { color: 'red' }],
  ['managed fields without a type', { managedFields: [{ manager: 'a', operation: 'Update' }] }],
  [
    'managed fields with an unknown operation',
    { managedFields: [{ manager: 'a', operation: 'Guess', fieldsType: 'FieldsV1', fieldsV1: {} }] },
  ],
]

const goodMetadata: Metadata = [
  ['a name with dots', { name: 'a.b-c.d1' }],
  ['a name of 253 letters', { name: 'a'.repeat(253) }],
  ['a name that starts with a digit', { name: '1a' }],
  ['a label with a prefix', { name: 'g1', labels: { 'example.dev/A_b.c': 'V_1.x' } }],
  ['a label without a value', { name: 'g2', labels: { a: '' } }],
  ['an annotation with any text', { name: 'g3', annotations: { 'a/b': 'öü\n"' } }],
  ['an annotation whose prefix has capitals', { name: 'g4', annotations: { 'Upper.dev/b': 'x' } }],
  ['a finalizer with a domain', { name: 'g5', finalizers: ['example.dev/keep'] }],
  ['an owner that does not exist', { name: 'g6', ownerReferences: [owner] }],
  [
    'the same owner twice',
    { name: 'g7', ownerReferences: [owner, { ...owner, blockOwnerDeletion: true }] },
  ],
  ['null labels', { name: 'g8', labels: null }],
]

conformance('metadata', (suite) => {
  const { client, namespace, group, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const plain = definitionOf(group)

  beforeAll(() => serve(client, plain))

  const rows = (metadata: Metadata, code: number) =>
    metadata.flatMap(([what, fields]): Row[] => [
      [
        `${what}, on a custom resource`,
        code,
        'POST',
        `${path}?dryRun=All`,
        widget('x', {}, fields),
      ],
      [
        `${what}, on a built-in`,
        code,
        'POST',
        `${maps}?dryRun=All`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', ...fields } },
      ],
    ])

  sameEach(
    badNames.flatMap((name): Row[] => [
      [`the name ${name.slice(0, 40)} is refused`, 422, 'POST', path, widget(name)],
      [
        `the name ${name.slice(0, 40)} is refused for a config map`,
        422,
        'POST',
        maps,
        { metadata: { name } },
      ],
    ]),
  )
  sameEach(rows(invalidMetadata, 422))
  sameEach(rows(unreadableMetadata, 400))
  sameEach(rows(toleratedMetadata, 201))
  sameEach(rows(goodMetadata, 201))

  sameEach([
    [
      'a custom resource may have a finalizer without a domain, with a warning',
      201,
      'POST',
      `${path}?dryRun=All`,
      widget('x', {}, { finalizers: ['plain'] }),
    ],
    [
      'a built-in may not have a finalizer without a domain',
      422,
      'POST',
      `${maps}?dryRun=All`,
      { metadata: { name: 'x', finalizers: ['plain'] } },
    ],
  ])

  // Kinds with their own rules for names.
  const namespaced = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`
  sameEach([
    [
      'a namespace is a DNS label',
      422,
      'POST',
      '/api/v1/namespaces',
      { metadata: { name: 'a.b' } },
    ],
    [
      'a namespace has at most 63 letters',
      422,
      'POST',
      '/api/v1/namespaces',
      { metadata: { name: 'a'.repeat(64) } },
    ],
    [
      'a service account may have dots',
      201,
      'POST',
      namespaced('serviceaccounts'),
      { metadata: { name: 'a.b' } },
    ],
    [
      'a service may start with a digit',
      201,
      'POST',
      namespaced('services'),
      { metadata: { name: '1a' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } },
    ],
    [
      'a role may have colons',
      201,
      'POST',
      `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
      { metadata: { name: 'system:Some_role' } },
    ],
    [
      'a role has no slash',
      422,
      'POST',
      `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
      { metadata: { name: 'a/b' } },
    ],
    [
      'a lease is a DNS subdomain',
      422,
      'POST',
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
      { metadata: { name: 'A' } },
    ],
    [
      'a limit range is a DNS subdomain',
      422,
      'POST',
      namespaced('limitranges'),
      { metadata: { name: 'A' } },
    ],
    [
      'a secret is a DNS subdomain',
      422,
      'POST',
      namespaced('secrets'),
      { metadata: { name: 'a_b' } },
    ],
    [
      'a cron job has at most 52 letters',
      422,
      'POST',
      `/apis/batch/v1/namespaces/${namespace}/cronjobs`,
      {
        metadata: { name: 'a'.repeat(53) },
        spec: {
          schedule: '* * * * *',
          jobTemplate: {
            spec: {
              template: {
                spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] },
              },
            },
          },
        },
      },
    ],
  ])
})

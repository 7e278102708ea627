import type { Json } from '@agents/crd'
import type { Body, Step } from './step.ts'

/** A sequence of writes to one object, sent to both servers. */
interface Scenario {
  readonly because: string
  readonly kind: 'widgets' | 'configMaps' | 'deployments' | 'pods'
  readonly steps: readonly Step[]
  /** Refers to owners that do not exist: a server with controllers deletes the object. */
  readonly isGarbage?: true
}

function apply(manager: string, body: Body, force = false): Step {
  return {
    do: 'apply',
    manager,
    body,
    force,
  }
}

function create(manager: string, body: Body): Step {
  return { do: 'create', manager, body }
}

function merge(manager: string, body: Body): Step {
  return { do: 'merge', manager, body }
}

function managed(manager: string, entries: Json): Step {
  return { do: 'managed', manager, entries }
}

function status(step: Step): Step {
  return { ...step, status: true } as Step
}

function spec(fields: Body): Body {
  return { spec: fields }
}

function data(fields: Body): Body {
  return { data: fields }
}

const labels = { app: 'x' }

function deployment(fields: Body, container: Body = {}): Body {
  return {
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'one', ...container }] },
      },
      ...fields,
    },
  }
}

function lastApplied(fields: Body): Body {
  return {
    metadata: {
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { annotations: {}, name: 'any', namespace: 'default' },
          data: fields,
        })}\n`,
      },
    },
    data: fields,
  }
}

export const scenarios: readonly Scenario[] = [
  {
    because: 'a field that its only applier drops goes away, one that others own as well stays',
    kind: 'configMaps',
    steps: [
      apply('one', data({ a: '1', b: '1' })),
      apply('two', data({ b: '1' })),
      apply('one', data({})),
      apply('two', {}),
    ],
  },
  {
    because: 'who applies what is already there becomes an owner and the object keeps its time',
    kind: 'configMaps',
    steps: [
      apply('one', data({ a: '1' })),
      apply('two', data({ a: '1' })),
      apply('two', data({ a: '1' })),
    ],
  },
  {
    because:
      'another value is a conflict until it is forced, and then the loser does not own it any more',
    kind: 'configMaps',
    steps: [
      apply('one', data({ a: '1', b: '1' })),
      merge('two', data({ c: '1' })),
      apply('three', data({ a: '2', b: '2', c: '2' })),
      apply('three', data({ a: '2', b: '2', c: '2' }), true),
      apply('one', data({ a: '1', b: '1' })),
    ],
  },
  {
    because: 'a conflict names fields in lists, sets and whole values',
    kind: 'widgets',
    steps: [
      apply(
        'one',
        spec({
          ports: [{ port: 1, name: 'x' }],
          tags: ['t'],
          words: ['w'],
          title: 'a "quoted" one',
        }),
      ),
      apply(
        'two',
        spec({ ports: [{ port: 1, name: 'y' }], tags: ['t'], words: ['v'], title: 'b' }),
      ),
      apply('two', spec({ title: 'b' })),
    ],
  },
  {
    because: 'status is owned through its own subresource and conflicts say so',
    kind: 'widgets',
    steps: [
      apply('one', spec({ title: 'x' })),
      status(
        apply('one', { status: { phase: 'x', conditions: [{ type: 'Ready', status: 'True' }] } }),
      ),
      status(apply('two', { status: { phase: 'y' } })),
      status(merge('three', { status: { phase: 'z' } })),
      status(apply('two', { status: { phase: 'y' } })),
      apply('one', { ...spec({ title: 'x' }), status: { phase: 'ignored' } }),
    ],
  },
  {
    because: 'an apply whose only difference is dropped keeps its time',
    kind: 'widgets',
    steps: [
      create('creator', spec({ title: 'x' })),
      status(merge('creator', { status: { phase: 'x' } })),
      managed('editor', ownersOfWidget('2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z')),
      apply('one', { ...spec({ title: 'x' }), status: { phase: 'ignored' } }),
    ],
  },
  {
    because: 'an apply gets a new time if that changes the order of the entries',
    kind: 'widgets',
    steps: [
      create('creator', spec({ title: 'x' })),
      status(merge('creator', { status: { phase: 'x' } })),
      managed('editor', ownersOfWidget('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z')),
      apply('one', { ...spec({ title: 'x' }), status: { phase: 'ignored' } }),
    ],
  },
  {
    because: 'kubectl takes over what it had applied from the client side',
    kind: 'configMaps',
    steps: [
      create('kubectl-client-side-apply', lastApplied({ a: '1', b: '1' })),
      apply('kubectl', data({ a: '2', b: '1' })),
      apply('kubectl', data({ a: '<&>' })),
    ],
  },
  {
    because: 'kubectl does not take over what somebody changed since',
    kind: 'configMaps',
    steps: [
      create('kubectl-client-side-apply', lastApplied({ a: '1', b: '1' })),
      merge('editor', data({ a: '9' })),
      apply('kubectl', data({ a: '2', b: '2' })),
      apply('other', data({ b: '2' })),
    ],
  },
  {
    because: 'owners that were forgotten come back as before-first-apply',
    kind: 'configMaps',
    steps: [
      create('one', data({ a: '1' })),
      managed('two', [{}]),
      merge('two', data({ b: '1' })),
      apply('three', data({ c: '1' })),
      apply('three', data({ a: '2' })),
    ],
  },
  {
    because:
      'entries that the client wrote count, broken ones and those of unknown versions do not',
    kind: 'configMaps',
    steps: [
      create('one', data({ a: '1' })),
      managed('two', [entry({ 'f:data': { 'f:a': {} }, 'x:unknown': {} })]),
      managed('two', [{ ...entry({}), operation: 'Delete' }]),
      managed('two', [entry({ nonsense: {} })]),
      managed('two', [{ ...entry({ 'f:data': {} }), apiVersion: 'v9' }]),
      managed('two', [entry({ 'f:data': { 'f:a': {} } }), entry({ 'f:data': { 'f:b': {} } })]),
    ],
  },
  {
    because: 'no more than ten updaters are kept apart',
    kind: 'configMaps',
    // Two digits each, because entries of the same second are ordered by name.
    steps: Array.from({ length: 14 }, (_, index) =>
      merge(`updater-${10 + index}`, data({ [`k${index}`]: 'x' })),
    ).toSpliced(
      0,
      0,
      create('creator', data({ first: 'x' })),
      apply('applier', data({ applied: 'x' })),
    ),
  },
  {
    because: 'items keep the order of the applier, and those of others their place',
    kind: 'widgets',
    steps: [
      apply('one', spec({ tags: ['a', 'b', 'c', 'd'] })),
      apply('two', spec({ tags: ['d', 'x', 'b'] })),
      apply('three', spec({ tags: ['y', 'a'] })),
      apply('one', spec({ tags: ['c', 'a'] })),
      apply('two', spec({ tags: ['x'] })),
    ],
  },
  {
    because: 'an item or entry that nobody else owns goes with everything in it',
    kind: 'widgets',
    steps: [
      apply(
        'one',
        spec({
          ports: [{ port: 1 }, { port: 2 }],
          byName: { k: { x: 1 }, l: { x: 1 } },
          free: { a: { b: 'x' }, z: 'x' },
        }),
      ),
      merge(
        'two',
        spec({
          ports: [
            { port: 1, protocol: 'TCP', name: 'n' },
            { port: 2, protocol: 'TCP' },
          ],
          byName: { k: { y: 'y' } },
          free: { a: { c: 'x' } },
        }),
      ),
      apply('one', spec({ ports: [{ port: 2 }], byName: { l: { x: 1 } }, free: { z: 'x' } })),
    ],
  },
  {
    because: 'items with the same key count as one value',
    kind: 'deployments',
    steps: [
      create(
        'one',
        deployment(
          {},
          {
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
              { name: 'B', value: '1' },
            ],
          },
        ),
      ),
      apply('two', deployment({}, { env: [{ name: 'B', value: '1' }] })),
      apply('two', deployment({}, { env: [{ name: 'A', value: '3' }] })),
      apply('two', deployment({}, { env: [{ name: 'A', value: '3' }] }), true),
      apply('two', deployment({}), true),
    ],
  },
  {
    because: 'a key that is left out is the default one',
    kind: 'deployments',
    steps: [
      apply(
        'one',
        deployment({}, { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }),
      ),
      apply(
        'two',
        deployment({}, { ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }] }),
      ),
      apply('one', deployment({})),
    ],
  },
  {
    because: 'what cannot be typed is refused',
    kind: 'widgets',
    steps: [
      apply('one', spec({ nope: 1 })),
      apply('one', spec({ title: 5 })),
      apply('one', spec({ replicas: 'x', title: { a: 'b' } })),
      apply('one', spec({ config: ['x'] })),
      apply('one', spec({ tags: 'x' })),
      apply('one', spec({ tags: ['a', 'a'] })),
      apply('one', spec({ tags: [null] })),
      apply('one', spec({ ports: [null] })),
      apply('one', spec({ ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] })),
      apply('one', { metadata: { managedFields: [] } }),
      apply('one', { kind: 'Gizmo' }),
      apply('one', { apiVersion: 'v1' }),
    ],
  },
  {
    because: 'null is a value of its own until it is dropped',
    kind: 'widgets',
    steps: [
      apply('one', spec({ maybe: null, config: { a: 'x' }, part: { a: 'x' }, free: { a: null } })),
      apply('two', spec({ maybe: 'x' }), true),
      apply('one', spec({ config: { b: 'x' }, free: { b: null } })),
      apply('one', {}),
    ],
  },
  {
    because: 'owner references are identified by uid and owned as a whole',
    kind: 'configMaps',
    isGarbage: true,
    steps: [
      apply('one', {
        metadata: {
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1' }],
          finalizers: ['example.dev/x'],
        },
      }),
      apply('two', {
        metadata: {
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'b', uid: 'u2' }],
          finalizers: ['example.dev/y'],
        },
      }),
      apply('two', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'c', uid: 'u1' }] },
      }),
      apply('one', {}),
      apply('two', {}),
    ],
  },
  {
    because: 'a pod is written by its creator, its kubelet and its user',
    kind: 'pods',
    steps: [
      create('creator', {
        spec: { containers: [{ name: 'app', image: 'one', env: [{ name: 'A', value: '<b>' }] }] },
      }),
      status(
        merge('kubelet', {
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            podIP: '127.0.0.1',
            podIPs: [{ ip: '127.0.0.1' }],
          },
        }),
      ),
      apply('user', { metadata: { labels: { a: 'x' } } }),
      apply('user', {
        metadata: { labels: { b: 'x' } },
        spec: { containers: [{ name: 'app', image: 'two' }] },
      }),
      apply('user', { spec: { containers: [{ name: 'app', image: 'two' }] } }, true),
    ],
  },
]

function entry(fieldsV1: Body): Body {
  return {
    manager: 'written',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
  }
}

/** The entries of a widget that one manager has applied, with the times of its spec and its status. */
function ownersOfWidget(specTime: string, statusTime: string): Json {
  const one = { ...entry({ 'f:spec': { 'f:title': {} } }), manager: 'one', operation: 'Apply' }
  const applied = { ...one, apiVersion: 'apply.example.dev/v1' }
  return [
    { ...applied, time: specTime },
    {
      ...applied,
      time: statusTime,
      fieldsV1: { 'f:status': { 'f:phase': {} } },
      subresource: 'status',
    },
  ]
}

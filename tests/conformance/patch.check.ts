import type { Json } from '@agents/crd'
import { beforeAll, describe, expect } from 'vitest'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

type Fields = { [key: string]: Json }
const json = { type: 'application/json-patch+json' }
const merge = { type: 'application/merge-patch+json' }
const strategic = { type: 'application/strategic-merge-patch+json' }

const labels = { app: 'a' }
const deployment: Fields = {
  replicas: 0,
  paused: true,
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      containers: [
        {
          name: 'one',
          image: 'one:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
          ports: [{ containerPort: 80 }],
        },
        { name: 'two', image: 'two:1', args: ['x', 'y'] },
      ],
      tolerations: [{ key: 'a', operator: 'Exists' }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  },
}
const pod = (patch: Fields): Fields => ({ spec: { template: { spec: patch } } })

conformance('patch', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const start: Fields = {
    spec: {
      size: 1,
      color: 'red',
      labels: { a: '1', 'b/c': '2', 'd~e': '3' },
      words: ['x', 'y'],
      ports: [{ port: 1 }, { port: 2, name: 'two' }],
    },
  }

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', path, widget('dry', start))
    await client.send('POST', maps, { metadata: { name: 'dry' }, data: { a: '1', b: '2' } })
    const made = await client.send('POST', deployments, {
      metadata: { name: 'dry' },
      spec: deployment,
    })
    expect(made.code, made.text).toBe(201)
    await client.send('POST', accounts, {
      metadata: { name: 'dry' },
      secrets: [{ name: 'a' }, { name: 'b' }],
      imagePullSecrets: [{ name: 'p' }],
    })
  })

  describe('JSON patch', () => {
    const cases: readonly (readonly [string, number, Json])[] = [
      ['replaces', 200, [{ op: 'replace', path: '/spec/size', value: 2 }]],
      ['adds a field', 200, [{ op: 'add', path: '/spec/enabled', value: true }]],
      ['adds in front of an item', 200, [{ op: 'add', path: '/spec/words/0', value: 'w' }]],
      ['adds to the end', 200, [{ op: 'add', path: '/spec/words/-', value: 'z' }]],
      ['removes a field', 200, [{ op: 'remove', path: '/spec/color' }]],
      ['removes an item', 200, [{ op: 'remove', path: '/spec/words/0' }]],
      [
        'removes the last item by a negative index',
        200,
        [{ op: 'remove', path: '/spec/words/-1' }],
      ],
      ['copies', 200, [{ op: 'copy', from: '/spec/color', path: '/spec/mode' }]],
      ['moves', 200, [{ op: 'move', from: '/spec/color', path: '/spec/mode' }]],
      [
        'tests and goes on',
        200,
        [
          { op: 'test', path: '/spec/size', value: 1 },
          { op: 'replace', path: '/spec/size', value: 3 },
        ],
      ],
      ['unescapes slashes', 200, [{ op: 'replace', path: '/spec/labels/b~1c', value: 'x' }]],
      ['unescapes tildes', 200, [{ op: 'replace', path: '/spec/labels/d~0e', value: 'x' }]],
      ['adds a label', 200, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
      ['may be empty', 200, []],
      ['fails when a test fails', 422, [{ op: 'test', path: '/spec/size', value: 9 }]],
      ['fails when a tested path is missing', 422, [{ op: 'test', path: '/spec/none', value: 9 }]],
      ['tests for null where nothing is', 200, [{ op: 'test', path: '/spec/none', value: null }]],
      ['cannot remove what is not there', 422, [{ op: 'remove', path: '/spec/none' }]],
      ['replaces what is not there', 200, [{ op: 'replace', path: '/spec/none', value: 1 }]],
      [
        'cannot add below what is not there',
        422,
        [{ op: 'add', path: '/spec/none/deep', value: 1 }],
      ],
      ['cannot add behind the end', 422, [{ op: 'add', path: '/spec/words/9', value: 'z' }]],
      ['cannot remove behind the end', 422, [{ op: 'remove', path: '/spec/words/9' }]],
      [
        'copies nothing from nothing',
        200,
        [{ op: 'copy', from: '/spec/none', path: '/spec/mode' }],
      ],
      ['cannot move from nothing', 422, [{ op: 'move', from: '/spec/none', path: '/spec/mode' }]],
      ['knows no other operation', 422, [{ op: 'guess', path: '/spec/size' }]],
      ['needs a path', 422, [{ op: 'add', value: 1 }]],
      ['takes a missing value for null', 200, [{ op: 'add', path: '/spec/size' }]],
      ['needs an operation', 422, [{ path: '/spec/size', value: 1 }]],
      ['must be a list', 400, { op: 'add' }],
      ['must have operations in it', 400, ['add']],
      ['is validated', 422, [{ op: 'replace', path: '/spec/size', value: 1000 }]],
      ['may give a wrong type', 422, [{ op: 'replace', path: '/spec/size', value: 'x' }]],
      ['cannot change the kind', 422, [{ op: 'replace', path: '/kind', value: 'Gadget' }]],
      ['cannot change the apiVersion', 422, [{ op: 'replace', path: '/apiVersion', value: 'v9' }]],
      ['cannot change the name', 400, [{ op: 'replace', path: '/metadata/name', value: 'other' }]],
      [
        'cannot change the namespace',
        400,
        [{ op: 'replace', path: '/metadata/namespace', value: 'other' }],
      ],
      ['cannot change the uid', 422, [{ op: 'replace', path: '/metadata/uid', value: 'other' }]],
      ['cannot replace the whole by nothing', 422, [{ op: 'replace', path: '', value: null }]],
      ['checks a version', 409, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]],
      [
        'may not have more than ten thousand operations',
        413,
        Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'Widget' })),
      ],
    ]
    sameEach(
      cases.map(([what, code, body]) => [
        `JSON patch ${what}`,
        code,
        'PATCH',
        `${path}/dry?dryRun=All`,
        body,
        json,
      ]),
    )
    sameEach([
      [
        'JSON patch of a config map',
        200,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        [{ op: 'add', path: '/data/c', value: '3' }],
        json,
      ],
      [
        'JSON patch of a config map may give a wrong type',
        422,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        [{ op: 'add', path: '/data/c', value: 3 }],
        json,
      ],
      [
        'JSON patch of a config map that fails a test',
        422,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        [{ op: 'test', path: '/data/a', value: '3' }],
        json,
      ],
      ['JSON patch that is no JSON', 400, 'PATCH', `${path}/dry`, 'nonsense', json],
      ['JSON patch of nothing', 404, 'PATCH', `${path}/none`, [], json],
    ])
  })

  describe('merge patch', () => {
    const cases: readonly (readonly [string, number, Json])[] = [
      ['merges maps', 200, { spec: { labels: { new: '1' } } }],
      ['replaces lists', 200, { spec: { words: ['only'] } }],
      ['removes with null', 200, { spec: { color: null, labels: { a: null } } }],
      ['removes and defaults', 200, { spec: { mode: null } }],
      ['removes the whole spec', 200, { spec: null }],
      ['may change nothing', 200, {}],
      ['may add labels', 200, { metadata: { labels: { a: 'b' } } }],
      ['replaces a map by a value', 422, { spec: { labels: 'x' } }],
      ['is validated', 422, { spec: { size: -1 } }],
      ['warns of unknown fields', 200, { spec: { unknown: 1 } }],
      ['cannot change the kind', 422, { kind: 'Gadget' }],
      ['cannot change the name', 400, { metadata: { name: 'other' } }],
      ['checks a version', 409, { metadata: { resourceVersion: '1' } }],
      ['checks a uid', 422, { metadata: { uid: 'other' } }],
      ['must be an object', 400, []],
      ['is no text', 400, '"text"'],
      ['is no number', 400, '5'],
      ['is not null', 400, 'null'],
    ]
    sameEach(
      cases.map(([what, code, body]) => [
        `merge patch ${what}`,
        code,
        'PATCH',
        `${path}/dry?dryRun=All`,
        body,
        merge,
      ]),
    )
    sameEach([
      [
        'merge patch of a config map',
        200,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { data: { a: null, c: '3' } },
        merge,
      ],
      [
        'merge patch of a config map with a wrong type',
        422,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { data: { a: 1 } },
        merge,
      ],
      [
        'merge patch of a config map by a value',
        422,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { data: 'x' },
        merge,
      ],
      ['merge patch that is no JSON', 400, 'PATCH', `${maps}/dry`, '{', merge],
      ['merge patch of nothing', 404, 'PATCH', `${maps}/none`, {}, merge],
      [
        'merge patch may be YAML by accident',
        400,
        'PATCH',
        `${maps}/dry`,
        'data:\n  a: b\n',
        merge,
      ],
      ['merge patch to all', 405, 'PATCH', maps, {}, merge],
      ['merge patch to all custom resources', 400, 'PATCH', path, {}, merge],
      ['merge patch with force', 422, 'PATCH', `${maps}/dry?force=true`, {}, merge],
      ['merge patch with nonsense for force', 422, 'PATCH', `${maps}/dry?force=perhaps`, {}, merge],
      [
        'merge patch of a deployment replaces containers',
        200,
        'PATCH',
        `${deployments}/dry?dryRun=All`,
        pod({ containers: [{ name: 'only', image: 'x' }] }),
        merge,
      ],
    ])
    same('merge patch that changes nothing writes nothing', 200, async () => [
      await client.get(`${path}/dry`),
      await client.send('PATCH', `${path}/dry`, { spec: { size: 1 } }, merge),
    ])
    same('merge patch with the current version', 200, async () => {
      const { body } = await client.send('POST', maps, { metadata: { name: 'versioned' } })
      const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata
      return client.send(
        'PATCH',
        `${maps}/versioned`,
        { metadata: { resourceVersion }, data: { a: 'b' } },
        merge,
      )
    })
  })

  describe('strategic merge patch', () => {
    sameEach([
      ['custom resources know no strategic merge', 415, 'PATCH', `${path}/dry`, {}, strategic],
      ['an unknown patch', 415, 'PATCH', `${maps}/dry`, {}, { type: 'application/json' }],
      [
        'an unknown patch of a custom resource',
        415,
        'PATCH',
        `${path}/dry`,
        {},
        { type: 'text/plain' },
      ],
    ])
    const cases: readonly (readonly [string, number, Fields])[] = [
      [
        'changes one container by name',
        200,
        pod({ containers: [{ name: 'two', image: 'two:2' }] }),
      ],
      ['adds a container in front', 200, pod({ containers: [{ name: 'three', image: 'three' }] })],
      ['deletes a container', 200, pod({ containers: [{ name: 'two', $patch: 'delete' }] })],
      [
        'replaces containers',
        200,
        pod({ containers: [{ $patch: 'replace' }, { name: 'three', image: 'x' }] }),
      ],
      [
        'changes a variable by name',
        200,
        pod({ containers: [{ name: 'one', env: [{ name: 'B', value: '9' }] }] }),
      ],
      [
        'deletes a variable',
        200,
        pod({ containers: [{ name: 'one', env: [{ name: 'A', $patch: 'delete' }] }] }),
      ],
      ['replaces an atomic list', 200, pod({ containers: [{ name: 'two', args: ['z'] }] })],
      ['replaces tolerations whole', 200, pod({ tolerations: [{ key: 'b', operator: 'Exists' }] })],
      [
        'orders by what it is told',
        200,
        pod({
          $setElementOrder: undefined as unknown as Json,
          '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }],
          containers: [],
        }),
      ],
      ['replaces a map whole', 200, { metadata: { labels: { $patch: 'replace', b: 'c' } } }],
      ['deletes a map', 200, { spec: { strategy: { $patch: 'delete' } } }],
      [
        'keeps only named keys',
        200,
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      ],
      ['removes with null', 200, { spec: { paused: null } }],
      [
        'changes a volume and its source',
        200,
        pod({ volumes: [{ name: 'v', emptyDir: null, configMap: { name: 'c' } }] }),
      ],
      [
        'retains one source of a volume',
        200,
        pod({
          volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }],
        }),
      ],
      [
        'takes an unknown directive for no field',
        200,
        { metadata: { labels: { $patch: 'guess' } } },
      ],
      ['needs the key of an item', 500, pod({ containers: [{ image: 'x' }] })],
      ['needs a list where a list is', 422, pod({ containers: { name: 'x' } })],
      ['is validated', 422, pod({ containers: [{ name: 'Bad_Name', image: 'x' }] })],
      [
        'cannot change what is immutable',
        422,
        { spec: { selector: { matchLabels: { other: 'x' } } } },
      ],
      ['checks a version', 409, { metadata: { resourceVersion: '1' } }],
      ['ignores unknown fields', 200, { spec: { unknown: 1 } }],
      ['with a wrong type', 422, { spec: { replicas: 'many' } }],
      [
        'merges ports by number',
        200,
        pod({ containers: [{ name: 'one', ports: [{ containerPort: 80, name: 'web' }] }] }),
      ],
      ['adds a port', 200, pod({ containers: [{ name: 'one', ports: [{ containerPort: 81 }] }] })],
    ]
    sameEach(
      cases.map(([what, code, body]) => [
        `strategic merge ${what}`,
        code,
        'PATCH',
        `${deployments}/dry?dryRun=All`,
        body,
        strategic,
      ]),
    )
    sameEach([
      [
        'strategic merge of secrets of an account',
        200,
        'PATCH',
        `${accounts}/dry?dryRun=All`,
        { secrets: [{ name: 'c' }] },
        strategic,
      ],
      [
        'strategic merge of finalizers',
        200,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { metadata: { finalizers: ['a.dev/x'] } },
        strategic,
      ],
      [
        'strategic merge of finalizers, removing one that is not there',
        200,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.dev/x'] } },
        strategic,
      ],
      ['strategic merge that is a list', 400, 'PATCH', `${maps}/dry`, [], strategic],
      ['strategic merge that is no JSON', 400, 'PATCH', `${maps}/dry`, 'x', strategic],
      ['strategic merge of nothing', 404, 'PATCH', `${maps}/none`, {}, strategic],
      [
        'strategic merge of data',
        200,
        'PATCH',
        `${maps}/dry?dryRun=All`,
        { data: { b: null, c: '1' } },
        strategic,
      ],
    ])
    same('strategic merge of finalizers, with one there', 200, async () => {
      await client.send('POST', maps, {
        metadata: { name: 'finals', finalizers: ['a.dev/x', 'a.dev/y'] },
      })
      const added = await client.send(
        'PATCH',
        `${maps}/finals`,
        { metadata: { finalizers: ['a.dev/z', 'a.dev/x'] } },
        strategic,
      )
      const removed = await client.send(
        'PATCH',
        `${maps}/finals`,
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.dev/x', 'a.dev/y', 'a.dev/z'] } },
        strategic,
      )
      return [added, removed]
    })
  })
})

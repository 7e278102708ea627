import type { Json } from '@agents/crd'
import type { Fields } from './client.ts'
import { strategic } from './patch-formats.ts'
import { patchedObjects, podPatch } from './patched-objects.ts'
import { conformance } from './suite.ts'

conformance('strategic-merge-patch', (suite) => {
  const { client, same, sameEach } = suite
  const { path, maps, deployments, accounts } = patchedObjects(suite)

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
      podPatch({ containers: [{ name: 'two', image: 'two:2' }] }),
    ],
    [
      'adds a container in front',
      200,
      podPatch({ containers: [{ name: 'three', image: 'three' }] }),
    ],
    ['deletes a container', 200, podPatch({ containers: [{ name: 'two', $patch: 'delete' }] })],
    [
      'replaces containers',
      200,
      podPatch({ containers: [{ $patch: 'replace' }, { name: 'three', image: 'x' }] }),
    ],
    [
      'changes a variable by name',
      200,
      podPatch({ containers: [{ name: 'one', env: [{ name: 'B', value: '9' }] }] }),
    ],
    [
      'deletes a variable',
      200,
      podPatch({ containers: [{ name: 'one', env: [{ name: 'A', $patch: 'delete' }] }] }),
    ],
    ['replaces an atomic list', 200, podPatch({ containers: [{ name: 'two', args: ['z'] }] })],
    [
      'replaces tolerations whole',
      200,
      podPatch({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
    ],
    [
      'orders by a directive',
      200,
      podPatch({
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
      podPatch({ volumes: [{ name: 'v', emptyDir: null, configMap: { name: 'c' } }] }),
    ],
    [
      'retains one source of a volume',
      200,
      podPatch({
        volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }],
      }),
    ],
    ['takes an unknown directive for no field', 200, { metadata: { labels: { $patch: 'guess' } } }],
    ['needs the key of an item', 500, podPatch({ containers: [{ image: 'x' }] })],
    ['needs a list where a list is', 422, podPatch({ containers: { name: 'x' } })],
    ['is validated', 422, podPatch({ containers: [{ name: 'Bad_Name', image: 'x' }] })],
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
      podPatch({ containers: [{ name: 'one', ports: [{ containerPort: 80, name: 'web' }] }] }),
    ],
    [
      'adds a port',
      200,
      podPatch({ containers: [{ name: 'one', ports: [{ containerPort: 81 }] }] }),
    ],
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
    ['strategic merge that is not valid JSON', 400, 'PATCH', `${maps}/dry`, 'x', strategic],
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

import type { Json } from '@agents/crd'
import { merge } from './patch-formats.ts'
import { patchedObjects, podPatch } from './patched-objects.ts'
import { conformance } from './suite.ts'

conformance('merge-patch', (suite) => {
  const { client, same, sameEach } = suite
  const { path, maps, deployments } = patchedObjects(suite)

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
    ['is not a number', 400, '5'],
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
    ['merge patch that is not valid JSON', 400, 'PATCH', `${maps}/dry`, '{', merge],
    ['merge patch of nothing', 404, 'PATCH', `${maps}/none`, {}, merge],
    ['merge patch may be YAML by accident', 400, 'PATCH', `${maps}/dry`, 'data:\n  a: b\n', merge],
    ['merge patch to all', 405, 'PATCH', maps, {}, merge],
    ['merge patch to all custom resources', 400, 'PATCH', path, {}, merge],
    ['merge patch with force', 422, 'PATCH', `${maps}/dry?force=true`, {}, merge],
    ['merge patch with nonsense for force', 422, 'PATCH', `${maps}/dry?force=perhaps`, {}, merge],
    [
      'merge patch of a deployment replaces containers',
      200,
      'PATCH',
      `${deployments}/dry?dryRun=All`,
      podPatch({ containers: [{ name: 'only', image: 'x' }] }),
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

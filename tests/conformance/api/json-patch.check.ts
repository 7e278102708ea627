import type { Json } from '@agents/crd'
import { json } from './patch-formats.ts'
import { patchedObjects } from './patched-objects.ts'
import { conformance } from './suite.ts'

conformance('json-patch', (suite) => {
  const { sameEach } = suite
  const { path, maps } = patchedObjects(suite)

  const cases: readonly (readonly [string, number, Json])[] = [
    ['replaces', 200, [{ op: 'replace', path: '/spec/size', value: 2 }]],
    ['adds a field', 200, [{ op: 'add', path: '/spec/enabled', value: true }]],
    ['adds in front of an item', 200, [{ op: 'add', path: '/spec/words/0', value: 'w' }]],
    ['adds to the end', 200, [{ op: 'add', path: '/spec/words/-', value: 'z' }]],
    ['removes a field', 200, [{ op: 'remove', path: '/spec/color' }]],
    ['removes an item', 200, [{ op: 'remove', path: '/spec/words/0' }]],
    ['removes the last item by a negative index', 200, [{ op: 'remove', path: '/spec/words/-1' }]],
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
    ['cannot add below what is not there', 422, [{ op: 'add', path: '/spec/none/deep', value: 1 }]],
    ['cannot add behind the end', 422, [{ op: 'add', path: '/spec/words/9', value: 'z' }]],
    ['cannot remove behind the end', 422, [{ op: 'remove', path: '/spec/words/9' }]],
    ['copies nothing from nothing', 200, [{ op: 'copy', from: '/spec/none', path: '/spec/mode' }]],
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
    ['JSON patch that is not valid JSON', 400, 'PATCH', `${path}/dry`, 'nonsense', json],
    ['JSON patch of nothing', 404, 'PATCH', `${path}/none`, [], json],
  ])
})

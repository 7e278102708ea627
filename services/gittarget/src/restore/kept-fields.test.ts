import { expect, test } from 'vitest'
import { keptFields } from './kept-fields.ts'

test.each([
  { because: 'equal objects keep nothing', inGit: { a: { b: 1 } }, inCluster: { a: { b: 2 } } },
  { because: 'what only Git has is applied', inGit: { a: 1, b: 2 }, inCluster: { a: 1 } },
])('$because', ({ inGit, inCluster }) => expect(keptFields(inGit, inCluster)).toEqual([]))

test('fields and items that Git does not have are found by their place', () => {
  const inGit = { spec: { containers: [{ name: 'app', image: 'a' }], args: ['x'] } }
  const inCluster = {
    metadata: { annotations: { 'a.test/b': '1' } },
    spec: {
      containers: [{ name: 'evil' }, { name: 'app', image: 'b', tty: true }],
      args: ['x', 'y'],
    },
  }
  expect(keptFields({ metadata: { annotations: {} }, ...inGit }, inCluster)).toEqual([
    '.metadata.annotations["a.test/b"]',
    '.spec.containers[evil]',
    '.spec.containers[app].tty',
    '.spec.args[1]',
  ])
})

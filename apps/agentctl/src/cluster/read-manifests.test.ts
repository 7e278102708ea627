import { expect, test } from 'vitest'
import { parseManifests } from './read-manifests.ts'

test('documents, lists and empty documents', () => {
  const text = [
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}',
    '# nothing here',
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}',
  ].join('\n---\n')
  expect(parseManifests(text, 'file').map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
})

test.each([
  { because: 'broken YAML', text: 'a: [', says: 'file is no YAML' },
  {
    because: 'an object without a name',
    text: 'apiVersion: v1\nkind: Secret\nmetadata: {}',
    says: 'metadata.name',
  },
  { because: 'something that is no object', text: '- 1', says: 'something without apiVersion' },
  { because: 'an alias of nothing', text: 'a: *b', says: 'file is no YAML' },
  {
    because: 'a name that only a server would make up',
    text: 'apiVersion: v1\nkind: Secret\nmetadata: {generateName: a-}',
    says: 'file holds a Secret without metadata.name',
  },
])('$because is refused by the name of the file', ({ text, says }) => {
  expect(() => parseManifests(text, 'file')).toThrow(says)
})

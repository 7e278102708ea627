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
  { because: 'invalid YAML', text: 'a: [', message: 'file is not valid YAML' },
  {
    because: 'an object without a name',
    text: 'apiVersion: v1\nkind: Secret\nmetadata: {}',
    message: 'metadata.name',
  },
  { because: 'a value that is not an object', text: '- 1', message: 'an object has no apiVersion' },
  { because: 'an undefined alias', text: 'a: *b', message: 'file is not valid YAML' },
  {
    because: 'a generated name',
    text: 'apiVersion: v1\nkind: Secret\nmetadata: {generateName: a-}',
    message: 'file: a Secret has no metadata.name',
  },
])('$because is rejected with the name of the file', ({ text, message }) => {
  expect(() => parseManifests(text, 'file')).toThrow(message)
})

test.each(['', 'metadata: {}', 'metadata: {generateName: a-}'])(
  'an object with "%s" is accepted if the caller names it',
  (metadata) => {
    const text = `apiVersion: v1\nkind: Secret\n${metadata}`
    expect(parseManifests(text, 'file', { nameless: true })).toHaveLength(1)
  },
)

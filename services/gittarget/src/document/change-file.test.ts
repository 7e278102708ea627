import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { changeFile } from './change-file.ts'
import { identityKey } from './identity.ts'
import type { JsonMap } from './json.ts'
import { isManifest, readManifests } from './read-manifests.ts'
import { writeManifest } from './write-manifest.ts'

const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'app' }
const configMap = (data: JsonMap, name = 'app'): JsonMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team' },
  data,
})
const commented = `# Who changes this asks the owners first.
apiVersion: v1
kind: ConfigMap
metadata:
  name: app   # the name
  namespace: team
data:
  # how loud
  level: "info"
  size: '3' # seldom changed
`

describe('changeFile', () => {
  test('changes one of tens of thousands of keys while somebody waits for it', () => {
    const data = Object.fromEntries(Array.from({ length: 30_000 }, (_none, at) => [`k${at}`, '1']))
    const text = `# kept\n${writeManifest(configMap(data))}`
    const changed = changeFile(text, { identity, object: configMap({ ...data, k7: 'other' }) })
    expect(changed).toBe(text.replace('k7: "1"', 'k7: "other"'))
  })

  test('leaves a text alone that says the same thing twice', () => {
    const twice = `${commented}data: {}\n`
    expect(readManifests(twice)).toBeUndefined()
    expect(changeFile(twice, { identity, object: undefined })).toBe(twice)
  })

  test('keeps comments, order and quotes of what stays', () => {
    const changed = changeFile(commented, {
      identity,
      object: configMap({ level: 'debug', size: '3', added: 'x' }),
    })
    expect(changed).toBe(
      commented
        .replace('"info"', '"debug"')
        .replace('# seldom changed\n', '# seldom changed\n  added: x\n')
        .replace('app   #', 'app #'),
    )
  })

  test.each([
    [commented, { level: 'info', size: '3' }, 'it says so already'],
    [
      commented.replaceAll('\n', '\r\n'),
      { level: 'info', size: '3' },
      'line ends are not for us to change',
    ],
    [`\ufeff${commented}`, { level: 'info', size: '3' }, 'a byte order mark says nothing'],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: team, name: app}\ndata: {a: "1"}',
      { a: '1' },
      'so does another style',
    ],
  ])('leaves a file as it is when %#', (text, data, _because) => {
    expect(changeFile(text, { identity, object: configMap(data) })).toBe(text)
  })

  test('takes one document out of a bundle and leaves its neighbours byte for byte', () => {
    const before = `${commented}---\n# ours\n${writeManifest(configMap({ a: 'b' }, 'other'))}---\nvalues:   {x:   1}\n`
    const other = { ...identity, name: 'other' }
    expect(changeFile(before, { identity: other, object: undefined })).toBe(
      `${commented}---\nvalues:   {x:   1}\n`,
    )
    expect(changeFile(before, { identity, object: undefined })).toBe(before.slice(commented.length))
    expect(changeFile(before, { identity: other, object: configMap({ a: 'c' }, 'other') })).toBe(
      before.replace('a: b', 'a: c'),
    )
  })

  test('deletes the file with its last document', () => {
    expect(changeFile(commented, { identity, object: undefined })).toBeNull()
    expect(changeFile(undefined, { identity, object: undefined })).toBeNull()
  })

  test("adds to a file that is somebody else's instead of replacing it", () => {
    const theirs = 'a: 1\n'
    expect(changeFile(theirs, { identity, object: configMap({}) })).toBe(
      `${theirs}---\n${writeManifest(configMap({}))}`,
    )
    expect(changeFile(theirs, { identity, object: undefined })).toBe(theirs)
  })

  test.each([
    ['a: &x 1\nb: *x\n', 'an anchor could be meant for several places'],
    ['a: 1\na: 2\n', 'a key that is there twice has no value to edit'],
    ['a: [1\n', 'it is broken'],
  ])('writes anew what cannot be edited: %j', (data) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: team}\n${data}`
    const object = configMap({ z: '1' })
    expect(changeFile(text, { identity, object })).toBe(writeManifest(object))
  })

  test('knows a manifest with anchors, keeps it where it is right, and deletes it', () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: app, namespace: team}\ndata: {a: &x "1", b: *x}\n'
    expect(changeFile(text, { identity, object: configMap({ a: '1', b: '1' }) })).toBe(text)
    expect(changeFile(text, { identity, object: undefined })).toBeNull()
  })

  test('is not impressed by few lines that stand for many', () => {
    const lines = [...'bcdefghij'].map((name, index) => {
      const before = 'abcdefghi'[index]
      return `${name}: &${name} [${Array(10).fill(`*${before}`).join()}]`
    })
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: team}\na: &a [x]\n${lines.join('\n')}\n`
    const object = configMap({ z: '1' })
    expect(changeFile(text, { identity, object })).toBe(writeManifest(object))
  })

  test('ends with what the cluster holds, whatever the file held', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('yes', 'a\nb\n', ' x', '#', '1', ''))
    const data = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), value, { noNullPrototype: true })
    const style = fc.constantFrom(
      (text: string) => text,
      (text: string) => `# top\n${text}`,
      (text: string) => text.replaceAll('\n', '\r\n'),
      (text: string) => text.replace('data:', 'data: # note'),
      (text: string) => `---\n${text}...\n`,
    )
    fc.assert(
      fc.property(data, data, style, (before, after, restyle) => {
        const file = restyle(writeManifest(configMap(before)))
        const changed = changeFile(file, { identity, object: configMap(after) }) ?? ''
        const [found] = readManifests(changed)?.documents.filter(isManifest) ?? []
        expect(found && identityKey(found.identity)).toBe(identityKey(identity))
        expect(parse(found?.text ?? '')).toEqual(configMap(after))
        expect(changeFile(changed, { identity, object: configMap(after) })).toBe(changed)
      }),
      { numRuns: 100 },
    )
  })
})

test('a file is the sum of its documents', () => {
  for (const text of [
    commented,
    `---\n${commented}---\n---\na: 1\n...\n`,
    '%YAML 1.2\n---\na: 1\n---\nb',
    '',
    '# nothing\n',
  ]) {
    expect(
      readManifests(text)
        ?.documents.map((document) => document.text)
        .join(''),
    ).toBe(text)
  }
})

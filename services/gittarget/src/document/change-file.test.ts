import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { changeFile as changedFile } from './change-file.ts'
import { identityKey } from './identity.ts'
import type { JsonMap } from './json.ts'
import { readManifests } from './read-manifests.ts'
import { writeManifest } from './write-manifest.ts'

const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'app' }

function configMap(data: JsonMap, name = 'app'): JsonMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team' },
    data,
  }
}

function changeFile(
  text: string | undefined,
  edit: Parameters<typeof changedFile>[1],
): string | null {
  return changedFile(text, edit).text
}

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
  test('changes one of tens of thousands of keys quickly', () => {
    const data = Object.fromEntries(Array.from({ length: 30_000 }, (_none, at) => [`k${at}`, '1']))
    const text = `# kept\n${writeManifest(configMap(data))}`
    const changed = changeFile(text, { identity, object: configMap({ ...data, k7: 'other' }) })
    expect(changed).toBe(text.replace('k7: "1"', 'k7: "other"'))
  })

  test('keeps the last of duplicate keys, which is the one that Go reads', () => {
    const twice = commented.replace('  # how', '  size: old\n  # how')
    const object = configMap({ level: 'info', size: '3' })
    expect(changeFile(twice, { identity, object })).toBe(commented)
    expect(changeFile(twice, { identity, object: undefined })).toBeNull()
  })

  test('keeps comments, order and quotes of unchanged parts', () => {
    const changed = changeFile(commented, {
      identity,
      object: configMap({ level: 'debug', size: '3', added: 'x' }),
    })
    expect(changed).toBe(
      commented
        .replace('"info"', '"debug"')
        .replace('# seldom changed\n', '# seldom changed\n  added: x\n'),
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
  ])('does not change an equivalent file: %#', (text, data, _because) => {
    expect(changeFile(text, { identity, object: configMap(data) })).toBe(text)
  })

  test('changes one document of a bundle and keeps the others byte for byte', () => {
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

  test('appends to a file with other content instead of replacing it', () => {
    const theirs = 'a: 1\n'
    expect(changeFile(theirs, { identity, object: configMap({}) })).toBe(
      `${theirs}---\n${writeManifest(configMap({}))}`,
    )
    expect(changeFile(theirs, { identity, object: undefined })).toBe(theirs)
  })

  test.each([
    ['a: [1\n', 'it is invalid'],
    ['a: "\u0007"\n# \u2028\n', 'Go would read a line break in the comment'],
  ])('rewrites a manifest that cannot be edited: %j', (data) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: team}\n${data}`
    const object = configMap({ z: '1' })
    expect(changeFile(text, { identity, object })).toBe(writeManifest(object))
  })

  test('recognises a manifest with anchors, keeps it if it is up to date, and can delete it', () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: app, namespace: team}\ndata: {a: &x "1", b: *x}\n'
    expect(changeFile(text, { identity, object: configMap({ a: '1', b: '1' }) })).toBe(text)
    expect(changeFile(text, { identity, object: undefined })).toBeNull()
  })

  test('survives aliases that expand exponentially', () => {
    const lines = [...'bcdefghij'].map((name, index) => {
      const before = 'abcdefghi'[index]
      return `${name}: &${name} [${Array(10).fill(`*${before}`).join()}]`
    })
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: team}\na: &a [x]\n${lines.join('\n')}\n`
    const object = configMap({ z: '1' })
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: team}\n'
    expect(changeFile(text, { identity, object })).toBe(`${head}data:\n  z: "1"\n`)
  })

  test('results in the object of the cluster, whatever the file contained', () => {
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
        const [found] = readManifests(changed)?.documents ?? []
        const [manifest] = found?.manifests ?? []
        expect(manifest && identityKey(manifest.identity)).toBe(identityKey(identity))
        expect(parse(found?.text ?? '')).toEqual(configMap(after))
        expect(changeFile(changed, { identity, object: configMap(after) })).toBe(changed)
      }),
      { numRuns: 100 },
    )
  })
})

test('the documents of a file, joined together, are the file', () => {
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

describe('a file of the repository that is made to keep its reader busy', () => {
  const lines = 10_000
  test.each([
    {
      text: '#\r\n'.repeat(lines),
      because: 'each line can end in two ways, and no document begins',
    },
    { text: '%\r\n'.repeat(lines), because: 'so can each directive' },
    {
      text: `a${':#'.repeat(2 ** 19)}\n`,
      because: 'each of half a million colons could end the key',
    },
  ])('is read once: $because', ({ text }) => {
    // Otherwise it takes longer than anybody waits: the work doubles with each line, or grows with its square.
    const first = `${writeManifest(configMap({ a: '1' }))}...\n${text}x: 1\n`
    const { text: after } = changedFile(first, { identity, object: configMap({ a: '2' }) })
    expect(after?.includes('a: "2"')).toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { changeFile } from './change-file.ts'
import { parseSource } from './source-tree.ts'
import { writeManifest } from './write-manifest.ts'

const identity = { group: 'apps', kind: 'Deployment', namespace: 'team', name: 'app' }

function deployment(spec: object, data: object = {}) {
  const metadata = { name: 'app', namespace: 'team' }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec }, ...data }
}

const head = `apiVersion: apps/v1
kind: Deployment
metadata: {name: app,   namespace: team}  # one line
`

/** The lines of `after` that `before` does not have, and those of `before` that `after` does not have. */
function difference(before: string, after: string): { added: string[]; removed: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return {
    added: now.filter((line) => !old.includes(line)),
    removed: old.filter((line) => !now.includes(line)),
  }
}

function edited(spec: string, object: object): string {
  const { text, isRewritten } = changeFile(head + spec, { identity, object: deployment(object) })
  expect(isRewritten).toBe(false)
  expect(text?.startsWith(head)).toBe(true)
  return text?.slice(head.length) ?? ''
}

describe('an edit in place', () => {
  const styled = `spec:
  replicas:   1      # few
  selector:   {matchLabels: {app:   x}}   # a flow map
  mode:     0644     # octal
  text: >-
    folded
    text

    of two paragraphs
  quoted: 'it''s'
  list:
  - one   # first

  # about two
  - two
  empty: {}
`
  const value = {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    mode: 0o644,
    text: 'folded text\nof two paragraphs',
    quoted: "it's",
    list: ['one', 'two'],
    empty: {},
  }

  test.each<[object, { added: string[]; removed: string[] }, string]>([
    [value, { added: [], removed: [] }, 'nothing changed'],
    [
      { ...value, replicas: 3 },
      { added: ['  replicas:   3      # few'], removed: ['  replicas:   1      # few'] },
      'only the number changes, and the comment keeps its column',
    ],
    [
      { ...value, selector: { matchLabels: { app: 'z', tier: 'on' } } },
      {
        added: ['  selector:   {matchLabels: {app:   z, tier: "on"}}   # a flow map'],
        removed: ['  selector:   {matchLabels: {app:   x}}   # a flow map'],
      },
      'a flow map stays one',
    ],
    [
      { ...value, mode: 0o600 },
      { added: ['  mode:     384     # octal'], removed: ['  mode:     0644     # octal'] },
      'an octal is rewritten only if its value changed',
    ],
    [
      { ...value, quoted: 'yes' },
      { added: ["  quoted: 'yes'"], removed: ["  quoted: 'it''s'"] },
      'the quotes are kept',
    ],
    [
      { ...value, list: ['one', 'no', 'two'] },
      { added: ['  - "no"'], removed: [] },
      'an item is added where it belongs, with the indentation of the list',
    ],
    [
      { ...value, list: ['two'] },
      { added: [], removed: ['  - one   # first'] },
      'an item goes with its comment',
    ],
    [
      { ...value, empty: { on: 'off', n: ['y'] } },
      {
        added: ['  empty:', '    "n":', '    - "y"', '    "on": "off"'],
        removed: ['  empty: {}'],
      },
      'an empty map is filled in the style of the file',
    ],
    [
      { ...value, text: '1_000' },
      {
        added: ['  text: "1_000"'],
        removed: ['  text: >-', '    folded', '    text', '    of two paragraphs'],
      },
      'a string that Go reads as a number is quoted',
    ],
  ])('changes only the lines of what changed: %#', (object, expected, _because) => {
    expect(difference(styled, edited(styled, object))).toEqual(expected)
  })

  test('keeps the bytes of everything else, in a file without a final line break', () => {
    const spec = 'spec:\r\n\r\n  a: [1,2 , 3]\r\n  b: "x"   # end'
    expect(edited(spec, { a: [1, 2, 4], b: 'x', c: 'z' })).toBe(
      'spec:\r\n\r\n  a: [1,2 , 4]\r\n  b: "x"   # end\r\n  c: z',
    )
  })

  test('does not take blank lines into a text that keeps its line breaks', () => {
    const spec = 'spec:\n  a: x # kept\n\n# end\n\n'
    expect(edited(spec, { a: 'x', b: 'y\n\n' })).toBe(
      'spec:\n  a: x # kept\n  b: |+\n    y\n\n# end\n\n',
    )
  })

  test('keeps the comments of an item that another one equalled before', () => {
    const spec = 'spec:\n  list:\n    - a\n    # the second\n    - a # kept\n'
    expect(edited(spec, { list: ['b', 'a'] })).toBe(spec.replace('- a\n', '- b\n'))
  })

  test('moves named items with their comments', () => {
    const spec = `spec:
  containers:
    # the application
    - name: app
      image: app:1  # pinned
    # collects logs
    - name: logs
      image: logs:1
`
    const object = {
      containers: [
        { name: 'logs', image: 'logs:2' },
        { name: 'app', image: 'app:1' },
      ],
    }
    expect(edited(spec, object)).toBe(`spec:
  containers:
    # collects logs
    - name: logs
      image: logs:2
    # the application
    - name: app
      image: app:1  # pinned
`)
  })
})

describe('what Go reads differently from YAML 1.2', () => {
  const strings = [
    'yes',
    'no',
    'on',
    'off',
    'y',
    'n',
    '1_000',
    '0b101',
    '-0x1F',
    '0420',
    'a\u0085b',
    'a\u2028b',
  ]

  test.each(strings)('%j is quoted in a file with comments', (value) => {
    const escaped = JSON.stringify(value).replace('\u0085', '\\u0085').replace('\u2028', '\\u2028')
    expect(edited('spec:\n  a: x # kept\n', { a: value, b: { c: [value] } })).toBe(
      `spec:\n  a: ${escaped} # kept\n  b:\n    c:\n      - ${escaped}\n`,
    )
    expect(edited('spec: {a: x, b: []}\n', { a: value, b: [value] })).toBe(
      `spec: {a: ${escaped}, b: [${escaped}]}\n`,
    )
  })

  test.each<[string, object, string]>([
    ['a: 0420', { a: 420 }, 'a: 420'],
    ['a: 0420', { a: 0o420 }, 'a: 0420'],
    ['a: on', { a: 'on' }, 'a: "on"'],
    ['a: on', { a: true }, 'a: on'],
    ['on: 1', { on: 1 }, '"on": 1'],
    ['on: 1', { true: 1 }, 'on: 1'],
    ['a: 1_000', { a: '1_000' }, 'a: "1_000"'],
    ['a: 089', { a: 89 }, 'a: 089'],
    ['a: "x\u2028y"', { a: 'x\u2028y' }, 'a: "x\\u2028y"'],
  ])('%j with the value %j becomes %j', (before, value, after) => {
    expect(edited(`spec:\n  ${before}\n`, value)).toBe(`spec:\n  ${after}\n`)
  })

  test.each([
    ['spec:\n  ? [a]\n  : b\n', 'a key that is a list'],
    ['spec: {x: [a: b]}\n', 'a pair without braces'],
    ['spec: !tag {x: 1}\n', 'a tag of an application'],
    ['spec: {x: !!int "1"}\n', 'a tag that changes the type'],
  ])('%j is replaced where it is', (before) => {
    expect(edited(before, { x: 'y' })).toMatch(/^spec:(?: !tag)?(?: \{x: "y"\}|\n {2}x: "y")\n$/)
  })

  test('a document that cannot be edited is replaced without joining its neighbour', () => {
    const object = deployment({ a: 1 })
    const bad = `---\n# \u2028\n${head}spec: {}\n`
    const other = 'a: 1 # another document\n'
    const { text, isRewritten } = changeFile(other + bad, { identity, object })
    expect({ text, isRewritten }).toEqual({
      text: `${other}---\n${writeManifest(object)}`,
      isRewritten: true,
    })
  })
})

describe('a file with anchors', () => {
  const anchored = `spec:
  # shared by both
  first: &labels
    app: x   # the app
    tier: web
  second: *labels
  third:
    <<: *labels
    own: "1"
`
  const labels = { app: 'x', tier: 'web' }

  test('keeps its comments, order and anchors', () => {
    const next = { app: 'x', tier: 'db' }
    expect(edited(anchored, { first: next, second: next, third: { ...next, own: '1' } })).toBe(
      anchored.replace('tier: web', 'tier: db'),
    )
  })

  test('writes out an alias whose value differs from now on', () => {
    const object = { first: labels, second: { app: 'z' }, third: { ...labels, own: '2' } }
    expect(edited(anchored, object)).toBe(
      anchored.replace('second: *labels', 'second:\n    app: z').replace('"1"', '"2"'),
    )
  })

  test('replaces a merge key that adds what is no longer there', () => {
    const object = { first: labels, second: labels, third: { app: 'x', own: '1' } }
    expect(edited(anchored, object)).toBe(
      anchored.replace('    <<: *labels\n    own: "1"\n', '    own: "1"\n    app: x\n'),
    )
  })

  test('keeps other values if the anchor is removed', () => {
    const object = { second: labels, third: { ...labels, own: '1' } }
    const { text, isRewritten } = changeFile(head + anchored, {
      identity,
      object: deployment(object),
    })
    expect(isRewritten).toBe(false)
    expect(parseSource(text ?? '')?.[0]?.root?.value).toMatchObject({ spec: object })
  })
})

describe('a JSON manifest', () => {
  const json = `{
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "app", "namespace": "team"},
    "spec": {
        "replicas": 1,
        "list": ["a",  "b"]
    }
}
`

  test('is recognised, and edited as JSON', () => {
    const object = deployment({ replicas: 2, list: ['a', 'yes', 'b'], more: { on: [1] } })
    const { text } = changeFile(json, { identity, object })
    expect(text).toBe(
      json
        .replace('"replicas": 1', '"replicas": 2')
        .replace(
          '["a",  "b"]',
          '["a", "yes", "b"],\n        "more": {\n            "on": [\n                1\n            ]\n        }',
        ),
    )
    expect(JSON.parse(text ?? '')).toEqual(object)
    expect(changeFile(json, { identity, object: undefined }).text).toBeNull()
  })
})

describe('a List', () => {
  const list = `apiVersion: v1
kind: List
items:
  # ours
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {name: app, namespace: team}
    spec: {replicas: 1}
  - apiVersion: v1   # another
    kind: Service
    metadata: {name: app, namespace: team}
`

  test('is edited item by item', () => {
    const object = deployment({ replicas: 2 })
    expect(changeFile(list, { identity, object }).text).toBe(
      list.replace('replicas: 1', 'replicas: 2'),
    )
  })

  test('loses the item of a deleted object, and is deleted with its last item', () => {
    const rest = changeFile(list, { identity, object: undefined }).text
    expect(rest).toBe(list.replace(/ {2}# ours[\s\S]*?(?= {2}- apiVersion: v1)/, ''))
    const service = { group: '', kind: 'Service', namespace: 'team', name: 'app' }
    expect(changeFile(rest ?? '', { identity: service, object: undefined }).text).toBeNull()
  })

  test('is not changed if another item cannot be read', () => {
    const broken = list.replace('# another', '# another\n    x: .inf')
    const edit = { identity, object: deployment({ replicas: 2 }) }
    expect(() => changeFile(broken, edit)).toThrow(/another item of the List/)
  })
})

test('an item that keeps its line breaks is moved to the end without the blank lines there', () => {
  const text = `${head}# kept
spec:
  args:
  - |+
    first
  - second
  - third

  replicas: 1
`
  const object = deployment({ args: ['new', 'second', 'first\n'], replicas: 1 })
  const changed = changeFile(text, { identity, object })
  expect(changed.isRewritten).toBe(false)
  expect(changed.text).toBe(
    text.replace('  - |+\n    first\n', '  - new\n').replace('  - third\n', '  - |\n    first\n'),
  )
})

describe('a manifest whose place implies its namespace', () => {
  test('is edited without adding the namespace', () => {
    const bare = head.replace(',   namespace: team', '')
    const object = deployment({ replicas: 2 })
    const edit = { identity, object, impliesNamespace: true }
    expect(changeFile(`${bare}spec: {replicas: 1}\n`, edit).text).toBe(
      `${bare}spec: {replicas: 2}\n`,
    )
    expect(changeFile(`${bare}spec: {replicas: 2}\n`, edit).text).toBe(
      `${bare}spec: {replicas: 2}\n`,
    )
  })
})

import { sameJson } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { JsonMap } from './json.ts'
import { writeManifest } from './write-manifest.ts'

const tricky = fc.constantFrom(
  ...['yes', 'No', 'on', 'y', 'null', '~', '', ' ', '2026-01-01', '012', '0x1f', '1e3', '1_000'],
  ...['12:30:45', '.inf', '<<', '=', '- a', '? a', 'a: b', 'a #b', '#a', '!tag', '&a', '*a', '|'],
  ...[
    'a\nb',
    'a\n',
    'a\n\n',
    '\na',
    ' a\nb',
    'a\n b\n',
    'a\n  \nb',
    '\ta\nb',
    'a\r\nb',
    '\n',
    '---\na',
  ],
  ...[
    'a\u0085b\n',
    'a\u2028b',
    '\ufeffa',
    '\ud800',
    'é\n日本\n',
    '"quoted"',
    "it's",
    'a\\b',
    '...\nb',
  ],
  ...[
    'a:',
    'a ',
    '[a]',
    '{a}',
    '@a',
    '%a',
    '`a`',
    'a\tb',
    'x\n\ty\n',
    '\u0000',
    'null\n',
    '__proto__',
  ],
)
const text = fc.oneof(tricky, fc.string(), fc.string({ unit: 'binary' }))
const key = fc.oneof(
  { weight: 20, arbitrary: text },
  { weight: 1, arbitrary: fc.constant('k'.repeat(1100)) },
)
const integer = fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }))
const leaf = fc.oneof(
  text,
  integer,
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
  ),
}))
const object = fc.dictionary(key, value, {
  noNullPrototype: true,
  maxKeys: 4,
}) as fc.Arbitrary<JsonMap>

describe('writeManifest', () => {
  test.each(['1.2', '1.1'] as const)('loses nothing when it is read as YAML %s', (version) => {
    fc.assert(
      fc.property(object, (original) => {
        const written = writeManifest(original)
        const read: unknown = parse(written, {
          intAsBigInt: true,
          version,
          merge: false,
          strict: true,
          uniqueKeys: true,
        })
        expect(sameJson(read ?? {}, original), written).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('gives equal bytes for equal objects, whatever the order of their members', () => {
    const shuffled = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map(shuffled)
      if (typeof given !== 'object' || given === null) return given
      return Object.fromEntries(
        Object.entries(given)
          .reverse()
          .map(([name, member]) => [name, shuffled(member)]),
      )
    }
    fc.assert(
      fc.property(object, (original) => {
        expect(writeManifest(shuffled(original) as JsonMap)).toBe(writeManifest(original))
      }),
    )
  })

  test('puts identifying fields first, and writes text in a readable style', () => {
    const manifest = {
      data: { 'app.yaml': 'a: 1\nb:\n  - 2\n', empty: '', on: 'yes' },
      metadata: { namespace: 'team', name: 'app', labels: {} },
      kind: 'ConfigMap',
      apiVersion: 'v1',
      list: [{ name: 'x', args: ['--a', 'b'] }, [], ['nested']],
    }
    expect(writeManifest(manifest)).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  labels: {}
  name: app
  namespace: team
data:
  app.yaml: |
    a: 1
    b:
      - 2
  empty: ""
  "on": "yes"
list:
  - args:
      - "--a"
      - b
    name: x
  - []
  - - nested
`)
  })

  test('is fast for a megabyte of line breaks', () => {
    const text = `${'\n'.repeat(1_000_000)}x`
    const written = writeManifest({ kind: 'ConfigMap', data: { text } })
    expect(parse(written).data.text === text).toBe(true)
  })
})

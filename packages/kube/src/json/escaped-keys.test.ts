import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'

/** Keys that are each other's spelling in JSON, up to a few characters. */
const trickyKey = fc.string({
  unit: fc.constantFrom('a', 'n', 'u', 'x', '\\', '"', '\n', '>', 'é'),
  maxLength: 4,
})
const spelling = fc.constantFrom('shortest', 'escaped')
let shapes = 0

describe('keys with escapes', () => {
  test.each([
    { first: '\\', second: '"' },
    { first: '\\', second: '\n' },
    { first: 'a\\', second: 'a"' },
    { first: 'k:{\\"type\\":\\"Read', second: 'k:{"type":"Ready"}' },
  ])('$second is not read as an earlier $first', ({ first, second }) => {
    const text = objectOf(nextShape())
    for (let repeat = 0; repeat < 3; repeat++) parseJson(text(quoted(first)))
    expect(keysOf(parseJson(text(quoted(second))))).toEqual(['shape', second])
  })

  test('are read as they are spelled, whatever was parsed before', () => {
    const rounds = fc.array(fc.tuple(trickyKey, spelling), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(rounds, (keys) => {
        const text = objectOf(nextShape())
        for (const [key, how] of keys) {
          const spelled = how === 'escaped' ? quotedByCodes(key) : quoted(key)
          for (const _repeat of [1, 2]) {
            expect(keysOf(parseJson(text(spelled)))).toEqual(['shape', key])
          }
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('keep their order, and the last of several values', () => {
    const text = String.raw`{"b":1,"\u0061":2,"\\":3,"\"":{"\n":4},"a":5,"\u005c":6,"c":7}`
    const value = parseJson(text)
    expect(Object.entries(value as object)).toEqual([
      ['b', 1],
      ['a', 5],
      ['\\', 6],
      ['"', { '\n': 4 }],
      ['c', 7],
    ])
  })

  test('do not lose large integers, strings with escapes or __proto__', () => {
    const text = String.raw`{"\\":{"__proto__":[9007199254740993,"\"a\\\":"]},"__proto__" : "\\"}`
    const value = parseJson(text) as Record<string, Record<string, unknown>>
    expect(Object.keys(value)).toEqual(['\\', '__proto__'])
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBe('\\')
    expect(Object.entries(value['\\'] ?? {})).toEqual([
      ['__proto__', [9007199254740993n, '"a\\":']],
    ])
  })

  test('do not limit the nesting', () => {
    const depth = 200_000
    const text = `{"\\\\":${'['.repeat(depth)}{"\\"":1}${']'.repeat(depth)}}`
    expect(Object.keys(parseJson(text) as object)).toEqual(['\\'])
  })
})

/** V8 remembers the last key after the same first ones, so each case needs a first key of its own. */
function nextShape(): string {
  return `shape-${shapes++}`
}

function objectOf(shape: string): (key: string) => string {
  return (key) => `{"items":[{"${shape}":null,${key}:1}]}`
}

function keysOf(value: unknown): string[] {
  const { items } = value as { items: [object] }
  return Object.keys(items[0]).map((key) => (key.startsWith('shape-') ? 'shape' : key))
}

function quoted(key: string): string {
  return JSON.stringify(key)
}

function quotedByCodes(key: string): string {
  const codes = Array.from({ length: key.length }, (_, index) => key.charCodeAt(index))
  return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}"`
}

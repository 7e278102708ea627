import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { applyJsonPatch } from './json-patch.ts'

describe('a JSON patch', () => {
  test.each<{ because: string; from: Json; patch: Json; to: Json }>([
    {
      because: 'add sets a field',
      from: {},
      patch: [{ op: 'add', path: '/a', value: 1 }],
      to: { a: 1 },
    },
    {
      because: 'add inserts into a list',
      from: { a: [1, 3] },
      patch: [{ op: 'add', path: '/a/1', value: 2 }],
      to: { a: [1, 2, 3] },
    },
    {
      because: 'add appends with a dash',
      from: { a: [1] },
      patch: [{ op: 'add', path: '/a/-', value: 2 }],
      to: { a: [1, 2] },
    },
    {
      because: 'add may set null',
      from: {},
      patch: [{ op: 'add', path: '/a', value: null }],
      to: { a: null },
    },
    {
      because: 'remove deletes a field',
      from: { a: 1, b: 2 },
      patch: [{ op: 'remove', path: '/a' }],
      to: { b: 2 },
    },
    {
      because: 'a negative index counts from the end',
      from: { a: [1, 2, 3] },
      patch: [{ op: 'remove', path: '/a/-1' }],
      to: { a: [1, 2] },
    },
    {
      because: 'replace changes a field',
      from: { a: { b: 1 } },
      patch: [{ op: 'replace', path: '/a/b', value: 2 }],
      to: { a: { b: 2 } },
    },
    {
      because: 'replace sets a missing field, like upstream',
      from: {},
      patch: [{ op: 'replace', path: '/a', value: 1 }],
      to: { a: 1 },
    },
    {
      because: 'a missing value is null',
      from: {},
      patch: [{ op: 'add', path: '/a' }],
      to: { a: null },
    },
    {
      because: 'copy of a missing field is null',
      from: {},
      patch: [{ op: 'copy', from: '/x', path: '/a' }],
      to: { a: null },
    },
    {
      because: 'move removes and adds',
      from: { a: 1 },
      patch: [{ op: 'move', from: '/a', path: '/b' }],
      to: { b: 1 },
    },
    {
      because: 'copy adds the same value',
      from: { a: [1] },
      patch: [{ op: 'copy', from: '/a', path: '/b' }],
      to: { a: [1], b: [1] },
    },
    {
      because: 'escapes stand for slash and tilde',
      from: { 'a/b': 1, 'c~d': 2 },
      patch: [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      to: {},
    },
    {
      because: 'test passes for equal values with any order of keys',
      from: { a: { x: 1, y: 2 } },
      patch: [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      to: { a: { x: 1, y: 2 } },
    },
    {
      because: 'test treats a missing field as null',
      from: {},
      patch: [{ op: 'test', path: '/a', value: null }],
      to: {},
    },
    {
      because: 'operations build on one another',
      from: {},
      patch: [
        { op: 'add', path: '/a', value: {} },
        { op: 'add', path: '/a/b', value: 1 },
      ],
      to: { a: { b: 1 } },
    },
  ])('$because', ({ from, patch, to }) => {
    const before = structuredClone(from)
    expect(applyJsonPatch(from, patch)).toEqual(to)
    expect(from).toEqual(before)
  })

  test.each<{ because: string; patch: Json }>([
    { because: 'the parent is missing', patch: [{ op: 'add', path: '/x/y', value: 1 }] },
    { because: 'there is nothing to remove', patch: [{ op: 'remove', path: '/x' }] },
    { because: 'a test fails', patch: [{ op: 'test', path: '/a', value: [] }] },
    { because: 'an index is past the end', patch: [{ op: 'add', path: '/a/3', value: 1 }] },
    { because: 'an index is not a number', patch: [{ op: 'replace', path: '/a/01', value: 1 }] },
    { because: 'it replaces the whole document', patch: [{ op: 'replace', path: '', value: {} }] },
    { because: 'the operation is unknown', patch: [{ op: 'increment', path: '/x', value: 1 }] },
    { because: 'a path does not start with a slash', patch: [{ op: 'add', path: 'x', value: 1 }] },
    {
      because: 'the copies are too large',
      patch: Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
    },
  ])('does not apply when $because', ({ patch }) => {
    expect(() => applyJsonPatch({ a: [1, 2] }, patch)).toThrow(
      expect.objectContaining({ code: 422, reason: 'Invalid' }),
    )
  })

  test('is rejected if it is not a list or too long', () => {
    expect(() => applyJsonPatch({}, { op: 'add' })).toThrow(expect.objectContaining({ code: 400 }))
    expect(() => applyJsonPatch({}, ['add'])).toThrow(expect.objectContaining({ code: 400 }))
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: null }))
    expect(() => applyJsonPatch({}, many)).toThrow(expect.objectContaining({ code: 413 }))
  })

  test('cannot change prototypes', () => {
    const patched = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value: { polluted: true } },
    ])
    expect(Object.keys(patched as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/x', value: 1 }])).toThrow(
      expect.objectContaining({ code: 422 }),
    )
  })
})

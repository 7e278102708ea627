import { describe, expect, test } from 'vitest'
import {
  anyText,
  blank,
  boolean,
  decodeMessage,
  inline,
  integer,
  listOf,
  mapOf,
  message,
  nested,
  nonZero,
  text,
  time,
} from './message.ts'
import { bool, bytes, field, fixed32, fixed64, group, varint } from './testing/encode.ts'

const inner = message({ a: [1, text], b: [2, integer] })
const fields = message({
  name: [1, text],
  always: [2, anyText],
  count: [3, integer],
  total: [4, nonZero],
  is: [5, boolean],
  inner: [6, nested(inner)],
  list: [7, listOf(nested(inner))],
  map: [8, mapOf(anyText)],
  keys: [9, mapOf(blank)],
  flat: [10, inline(message({ c: [1, text] }))],
  at: [11, time],
  far: [300, text],
})

function entry(key: string, value: string): Buffer {
  return Buffer.concat([field(1, key), field(2, value)])
}

describe('a message', () => {
  test('is decoded by the numbers of its fields', () => {
    const encoded = Buffer.concat([
      field(1, 'käse 🧀'),
      varint(3, 42n),
      bool(5, true),
      bytes(6, Buffer.concat([field(1, 'x'), varint(2, 1n)])),
      bytes(7, field(1, 'first')),
      bytes(7, Buffer.alloc(0)),
      bytes(8, entry('k', 'v')),
      bytes(8, entry('', '')),
      bytes(9, entry('secret', 'value')),
      bytes(10, field(1, 'up')),
      field(300, 'far'),
    ])
    expect(decodeMessage(encoded, fields)).toEqual({
      name: 'käse 🧀',
      count: 42,
      is: true,
      inner: { a: 'x', b: 1 },
      list: [{ a: 'first' }, {}],
      map: { k: 'v', '': '' },
      keys: { secret: '' },
      c: 'up',
      far: 'far',
    })
  })

  test('omits what JSON omits', () => {
    const zeros = Buffer.concat([
      field(1, ''),
      field(2, ''),
      varint(3, 0n),
      varint(4, 0n),
      bool(5, false),
      bytes(11, Buffer.alloc(0)),
    ])
    expect(decodeMessage(zeros, fields)).toEqual({ always: '', count: 0, is: false })
  })

  test.each([0n, 1n, 127n, 128n, 2n ** 28n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 35n, 2n ** 53n - 1n])(
    'has the integer %d, and its negative',
    (value) => {
      expect(decodeMessage(varint(3, value), fields)).toEqual({ count: Number(value) })
      expect(decodeMessage(varint(3, -value), fields)).toEqual({ count: 0 - Number(value) })
    },
  )

  test.each([2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)])('has the large integer %d', (value) => {
    expect(decodeMessage(varint(3, value), fields)).toEqual({ count: value })
  })

  test('has times in the form of JSON', () => {
    const seconds = BigInt(Date.parse('2026-02-03T04:05:06Z') / 1000)
    const encoded = bytes(11, Buffer.concat([varint(1, seconds), varint(2, 999n)]))
    expect(decodeMessage(encoded, fields)).toEqual({ at: '2026-02-03T04:05:06Z' })
    const before = bytes(11, varint(1, -1n))
    expect(decodeMessage(before, fields)).toEqual({ at: '1969-12-31T23:59:59Z' })
    const never = bytes(11, varint(1, 2n ** 62n))
    expect(() => decodeMessage(never, fields)).toThrow(RangeError)
  })

  test('skips fields of all types that are not declared', () => {
    const unknown = Buffer.concat([
      varint(20, 2n ** 63n - 1n),
      fixed64(21),
      fixed32(23),
      bytes(22, Buffer.from('skipped')),
      field(1, 'kept'),
    ])
    expect(decodeMessage(unknown, fields)).toEqual({ name: 'kept' })
  })

  test('takes keys that are names of Object.prototype as they are', () => {
    const encoded = Buffer.concat([
      bytes(8, entry('__proto__', 'mine')),
      bytes(8, entry('constructor', 'mine')),
    ])
    const { map } = decodeMessage(encoded, fields) as { map: object }
    expect(Object.entries(map)).toEqual([
      ['__proto__', 'mine'],
      ['constructor', 'mine'],
    ])
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
  })
})

describe('an invalid message', () => {
  const whole = Buffer.concat([
    field(1, 'name'),
    bytes(6, Buffer.concat([field(1, 'x'), varint(2, 300n)])),
    bytes(8, entry('key', 'value')),
  ])
  const boundaries = new Set([0, 6, 6 + 2 + 6, whole.length])

  test.each(Array.from({ length: whole.length }, (_, at) => at))(
    'that ends after %d bytes is refused, except between two fields',
    (length) => {
      const cut = whole.subarray(0, length)
      if (boundaries.has(length)) expect(decodeMessage(cut, fields)).toBeTypeOf('object')
      else expect(() => decodeMessage(cut, fields)).toThrow(RangeError)
    },
  )

  test.each([
    ['a field that is longer than its message', bytes(6, Buffer.from([0x0a, 0x7f]))],
    ['a map entry that is longer than its message', bytes(8, Buffer.from([0x0a, 0x7f]))],
    ['another wire type', varint(1, 1n)],
    ['a group', group(20)],
    ['a varint without an end', Buffer.concat([Buffer.from([0x18]), Buffer.alloc(11, 0xff)])],
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
  ])('with %s is refused', (_what, encoded) => {
    expect(() => decodeMessage(Buffer.concat([encoded, field(1, 'next')]), fields)).toThrow(
      RangeError,
    )
  })

  test('of random bytes ends with an object or a RangeError', () => {
    let state = 1
    const next = (): number => {
      state = (state * 48_271) % 0x7fffffff
      return state
    }
    let decoded = 0
    let refused = 0
    for (let round = 0; round < 20_000; round += 1) {
      const random = Buffer.from(Array.from({ length: next() % 24 }, () => next() % 256))
      try {
        expect(decodeMessage(random, fields)).toBeTypeOf('object')
        decoded += 1
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
        refused += 1
      }
    }
    expect(decoded).toBeGreaterThan(500)
    expect(refused).toBeGreaterThan(5_000)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../status/api-error.ts'
import type { Fields } from '../fields.ts'
import { createGoShapes } from '../go-json/shape.ts'
import { readBuiltinTables } from '../schema/tables.ts'
import { createProtobufDecoder } from './decode-protobuf.ts'

interface RecordedRequest {
  readonly command: string
  /** The body that kubectl 1.36 sent, in base64. */
  readonly body: string
  /** The output of the same command with `--dry-run=client -o json`, if it supports that. */
  readonly object: Fields
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testing/kubectl-requests.json'), 'utf8'),
) as RecordedRequest[]

const tables = readBuiltinTables()
const decode = createProtobufDecoder(tables)
const shapes = createGoShapes(tables)

/** Normalizes objects, since protobuf and JSON omit different empty values. */
function shaped(object: Fields): Fields {
  const kind = `${object.apiVersion}/${object.kind}`
  const [id = ''] =
    Object.entries(tables.definitions).find(([, { gvk }]) => gvk?.[0] === kind) ?? []
  expect(shapes.shape(id, object)).toEqual([])
  return object
}

describe('requests of kubectl', () => {
  test.each(recorded)('kubectl $command', ({ body, object }) => {
    const decoded = decode(Buffer.from(body, 'base64')) as unknown as Fields
    expect(shaped(decoded)).toEqual(shaped(structuredClone(object)))
  })
})

describe('single fields', () => {
  test.each([
    {
      because: 'grace periods are field 1',
      bytes: [0x08, 30],
      field: 'gracePeriodSeconds',
      value: 30,
    },
    {
      because: 'a negative number has ten bytes',
      bytes: [0x08, ...varint(2n ** 64n - 1n)],
      field: 'gracePeriodSeconds',
      value: -1,
    },
    {
      because: 'a large number is a bigint',
      bytes: [0x08, ...varint(2n ** 60n)],
      field: 'gracePeriodSeconds',
      value: 2n ** 60n,
    },
    {
      because: 'unknown fields are skipped',
      bytes: [0xf8, 0x07, 1, 0x08, 5],
      field: 'gracePeriodSeconds',
      value: 5,
    },
    {
      because: 'text is UTF-8',
      bytes: [0x22, 6, ...Buffer.from('Orphan')],
      field: 'propagationPolicy',
      value: 'Orphan',
    },
    {
      because: 'repeated fields make a list',
      bytes: [0x2a, 3, 65, 108, 108],
      field: 'dryRun',
      value: ['All'],
    },
  ])('$because', ({ bytes, field, value }) => {
    const object = decode(envelope('v1', 'DeleteOptions', Uint8Array.from(bytes)))
    expect((object as unknown as Fields)[field]).toEqual(value)
  })
})

describe('invalid messages', () => {
  test.each([
    {
      because: 'the prefix is missing',
      bytes: Buffer.from('{}'),
      message: 'provided data does not appear to be a protobuf message',
    },
    {
      because: 'the kind is unknown',
      bytes: envelope('v1', 'Nothing', new Uint8Array()),
      message: 'no kind "Nothing" is registered',
    },
    {
      because: 'a length exceeds the message',
      bytes: envelope('v1', 'Pod', Uint8Array.of(0x0a, 0x7f)),
      message: 'unexpected EOF',
    },
    {
      because: 'a length is huge',
      bytes: envelope('v1', 'Pod', Uint8Array.from([0x0a, ...varint(2n ** 62n)])),
      message: 'unexpected EOF',
    },
    {
      because: 'a field number is zero',
      bytes: envelope('v1', 'Pod', Uint8Array.of(0)),
      message: 'proto: illegal tag 0',
    },
    {
      because: 'groups are not supported',
      bytes: envelope('v1', 'Pod', Uint8Array.of(0x0b)),
      message: 'proto: illegal wireType 3',
    },
    {
      because: 'a string is not UTF-8',
      bytes: envelope('v1', 'Secret', Uint8Array.of(0x1a, 1, 0xff)),
      message: 'invalid UTF-8',
    },
    {
      because: 'a message has the wire type of a number',
      bytes: envelope('v1', 'Pod', Uint8Array.of(0x08, 1)),
      message: 'proto: wrong wireType',
    },
  ])('$because', ({ bytes, message }) => {
    const error = caught(() => decode(bytes))
    expect(error).toMatchObject({ code: 400, reason: 'BadRequest' })
    expect(error.message).toContain(message)
  })

  test('any bytes are decoded or rejected', () => {
    const kinds = fc.constantFrom('Pod', 'Secret', 'Event', 'DeleteOptions')
    fc.assert(
      fc.property(kinds, fc.uint8Array({ maxLength: 200 }), (kind, bytes) => {
        try {
          expect(decode(envelope('v1', kind, bytes)).kind).toBe(kind)
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

function caught(act: () => unknown): ApiError {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const type = [...delimited(1, Buffer.from(apiVersion)), ...delimited(2, Buffer.from(kind))]
  return Buffer.from([
    ...Buffer.from('k8s\0'),
    ...delimited(1, Uint8Array.from(type)),
    ...delimited(2, raw),
  ])
}

function delimited(number: number, bytes: Uint8Array): number[] {
  return [(number << 3) | 2, ...varint(BigInt(bytes.length)), ...bytes]
}

function varint(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}

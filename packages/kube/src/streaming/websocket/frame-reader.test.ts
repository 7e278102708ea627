import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, opcodes } from './frame.ts'
import { type FramePart, FrameReader } from './frame-reader.ts'

function readAll(chunks: readonly Buffer[], expectsMask = true): FramePart[] {
  const reader = new FrameReader({ expectsMask })
  return chunks.flatMap((chunk) => [...reader.read(chunk)])
}

function messagesOf(parts: readonly FramePart[]): string[] {
  const messages: Buffer[][] = []
  for (const part of parts) {
    if (part.kind !== 'data') continue
    if (part.isFirst) messages.push([])
    messages.at(-1)?.push(part.bytes)
  }
  return messages.map((pieces) => Buffer.concat(pieces).toString('hex'))
}

test('messages arrive whole, however their bytes are split', () => {
  const cut = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 4 }),
      cut,
      (messages, sizes) => {
        const bytes = Buffer.concat(messages.map((one) => encodeFrame(opcodes.binary, one, true)))
        const chunks: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = (sizes[turn % sizes.length] ?? 1) * (turn % 7 === 0 ? 900 : 1)
          chunks.push(bytes.subarray(at, at + size))
          at += size
        }
        const expected = messages.map((one) => Buffer.from(one).toString('hex'))
        expect(messagesOf(readAll(chunks))).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('a huge message passes through without being collected', () => {
  const header = encodeFrame(opcodes.binary, Buffer.alloc(0), false)
  const huge = Buffer.concat([Buffer.from([header[0] ?? 0, 127]), Buffer.alloc(8)])
  huge.writeBigUInt64BE(2n ** 50n, 2)
  const reader = new FrameReader({ expectsMask: false })
  expect([...reader.read(huge)]).toEqual([])
  const [part] = [...reader.read(Buffer.from('first'))]
  expect(part).toMatchObject({ kind: 'data', isFirst: true, isLast: false })
})

describe('a client is disconnected for', () => {
  test.each([
    {
      because: 'a frame without mask',
      frame: encodeFrame(opcodes.binary, Buffer.from('x'), false),
    },
    { because: 'reserved bits', frame: Buffer.from([0xf2, 0x80, 0, 0, 0, 0]) },
    { because: 'an unknown opcode', frame: Buffer.from([0x83, 0x80, 0, 0, 0, 0]) },
    { because: 'a long ping', frame: Buffer.from([0x89, 0xfe, 1, 0, 0, 0, 0, 0]) },
    { because: 'a ping in fragments', frame: Buffer.from([0x09, 0x80, 0, 0, 0, 0]) },
    { because: 'a continuation of nothing', frame: Buffer.from([0x80, 0x80, 0, 0, 0, 0]) },
    {
      because: 'a length that is out of range',
      frame: Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    },
  ])('$because', ({ frame }) => {
    expect(() => readAll([frame])).toThrow(expect.objectContaining({ name: 'ProtocolError' }))
  })
})

test('arbitrary bytes never do more than throw a ProtocolError', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (chunks) => {
      try {
        readAll(chunks.map((chunk) => Buffer.from(chunk)))
      } catch (error) {
        expect((error as Error).name).toBe('ProtocolError')
      }
    }),
    { numRuns: 500 },
  )
})

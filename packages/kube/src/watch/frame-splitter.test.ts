import { expect, test } from 'vitest'
import { createFrameSplitter } from './frame-splitter.ts'

function frame(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(text))
  return Buffer.concat([length, Buffer.from(text)])
}

const texts = ['one', '', 'x'.repeat(300), 'last']
const stream = Buffer.concat(texts.map(frame))

test.each([1, 2, 3, 4, 5, 7, 100, stream.length])('finds frames in chunks of %d bytes', (size) => {
  const splitter = createFrameSplitter(1_000)
  const found: string[] = []
  for (let at = 0; at < stream.length; at += size) {
    for (const part of splitter.push(stream.subarray(at, at + size))) found.push(part.toString())
  }
  expect(found).toEqual(texts)
  expect(splitter.pending).toBe(0)
})

test('counts the bytes of a frame that is not complete', () => {
  const splitter = createFrameSplitter(1_000)
  expect(splitter.push(frame('whole').subarray(0, 6))).toEqual([])
  expect(splitter.pending).toBe(6)
})

test('refuses a frame that is too long before it arrives', () => {
  const splitter = createFrameSplitter(10)
  expect(splitter.push(frame('x'.repeat(10)))).toHaveLength(1)
  expect(() => splitter.push(frame('x'.repeat(11)).subarray(0, 4))).toThrow(RangeError)
})

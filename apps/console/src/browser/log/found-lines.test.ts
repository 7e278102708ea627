import { expect, test } from 'vitest'
import { FoundLines, sliceCharacters } from './found-lines.ts'
import { LogBuffer } from './log-buffer.ts'

function bufferOf(text: string): LogBuffer {
  const buffer = new LogBuffer()
  buffer.push(text)
  return buffer
}

test('finds text in any case, without the sequences between its letters', () => {
  const found = new FoundLines(bufferOf('one\nTWO\nt\u001b[31mwo\n'), 'Two')
  expect(found.search()).toBe(true)
  expect(found.lines).toEqual([1, 2])
})

test('nothing is found for an empty text', () => {
  const found = new FoundLines(bufferOf('one\n'), '')
  expect(found.search()).toBe(true)
  expect(found.lines).toEqual([])
})

test('a search reads a bounded number of characters at a time', () => {
  const line = `${'x'.repeat(999)}\n`
  const total = 4000
  const found = new FoundLines(bufferOf(line.repeat(total)), 'x')
  let slices = 0
  let before = 0
  for (let isDone = false; !isDone; slices += 1) {
    isDone = found.search()
    expect((found.lines.length - before) * 999).toBeLessThanOrEqual(sliceCharacters + 999)
    before = found.lines.length
  }
  expect(found.lines).toHaveLength(total)
  expect(slices).toBeGreaterThanOrEqual(Math.floor((total * 999) / sliceCharacters))
})

test('a search goes on where it ended when lines are added, and reads the last line again', () => {
  const buffer = bufferOf('a\nb\nun')
  const found = new FoundLines(buffer, 'until')
  expect(found.search()).toBe(true)
  buffer.push('til\nnot\n')
  expect(found.search()).toBe(true)
  expect(found.lines).toEqual([2])
  buffer.push('until')
  expect(found.search()).toBe(true)
  buffer.push(' now\n')
  expect(found.search()).toBe(true)
  expect(found.lines).toEqual([2, 4])
})

import { describe, expect, test } from 'vitest'
import { LogBuffer, longestLine, mostLines } from './log-buffer.ts'

function bufferOf(...pieces: string[]): LogBuffer {
  const buffer = new LogBuffer()
  for (const piece of pieces) buffer.push(piece)
  return buffer
}

function linesOf(buffer: LogBuffer): string[] {
  return Array.from({ length: buffer.length }, (_, index) => buffer.line(index))
}

describe('LogBuffer', () => {
  test.each([1, 2, 3, 5, 100])('reads lines in pieces of %i characters', (size) => {
    const text = 'one\ntwo\r\n\nfour'
    const pieces = []
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
    expect(linesOf(bufferOf(...pieces))).toEqual(['one', 'two', '', 'four'])
  })

  test('has no line after the last line feed', () => {
    expect(bufferOf('one\n').length).toBe(1)
    expect(bufferOf('').length).toBe(0)
  })

  test('holds a bounded number of lines, and of characters in a line', () => {
    const empty = bufferOf('\n'.repeat(mostLines - 1))
    expect(empty.isFull).toBe(false)
    empty.push('\n'.repeat(10))
    expect(empty).toMatchObject({ isFull: true, length: mostLines })
    empty.push('more\n')
    expect(empty.length).toBe(mostLines)
    const long = bufferOf('x'.repeat(longestLine), 'y', 'z\nnext\n')
    expect(linesOf(long).map((line) => line.length)).toEqual([longestLine, 2, 4])
    const ended = bufferOf(`${'x'.repeat(2 * longestLine + 1)}\n`)
    expect(linesOf(ended).map((line) => line.length)).toEqual([longestLine, longestLine, 1])
  })

  test('knows the colour with which a line begins', () => {
    const buffer = bufferOf('\u001b[31mred\nstill\u001b[0m\nplain')
    expect([0, 1, 2].map((index) => buffer.look(index))).toEqual([{}, { foreground: 1 }, {}])
  })

  test.each([
    { text: 'a\nb', of: 'a\nb\nc', behind: true },
    { text: 'a\n', of: 'a\nb\nc', behind: true },
    { text: '', of: 'a', behind: true },
    { text: 'a\nb\nc', of: 'a\nb\nc', behind: true },
    { text: 'a\nb\nc\nd', of: 'a\nb\nc', behind: false },
    { text: 'a\nx', of: 'a\nb\nc', behind: false },
    { text: 'x\n', of: 'a\nb\nc', behind: false },
    { text: 'a\nb\ncd', of: 'a\nb\nc', behind: false },
  ])('$text is behind $of: $behind', ({ text, of, behind }) => {
    expect(bufferOf(text).isBehind(bufferOf(of), 0)).toBe(behind)
  })
})

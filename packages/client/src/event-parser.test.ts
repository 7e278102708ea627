import { describe, expect, test } from 'vitest'
import { EventParser } from './event-parser.ts'

const text =
  'retry: 1000\nid: e-1\nevent: ready\ndata: {}\n\n: alive\n\nid: e-2\nevent: change\ndata: {"a":\ndata: 1}\n\n'
const events = [
  { name: 'ready', data: '{}', id: 'e-1' },
  { name: 'change', data: '{"a":\n1}', id: 'e-2' },
]

describe('EventParser', () => {
  test.each([1, 2, 3, 7, 1000])('reads events in pieces of %i characters', (size) => {
    const parser = new EventParser()
    const seen = []
    for (let at = 0; at < text.length; at += size) {
      seen.push(...parser.push(text.slice(at, at + size)))
    }
    expect(seen).toEqual(events)
    expect(parser.retryMs).toBe(1000)
  })

  test('reads lines that end with CR LF, also between two pieces', () => {
    const parser = new EventParser()
    const seen = [...parser.push('data: a\r'), ...parser.push('\n\r\ndata: b\r\n\r\n')]
    expect(seen.map(({ data }) => data)).toEqual(['a', 'b'])
  })

  test('holds an unfinished event back', () => {
    const parser = new EventParser()
    expect(parser.push('event: change\ndata: {"type":"ADDED"}\n')).toEqual([])
    expect(parser.push('\n')).toHaveLength(1)
  })

  test('ends a stream that sends an event without end', () => {
    const parser = new EventParser()
    expect(() => parser.push(`data: ${'x'.repeat(17 * 1024 * 1024)}`)).toThrow('no end')
  })
})

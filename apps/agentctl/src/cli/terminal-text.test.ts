import { visible } from '@agents/agent-events'
import { expect, test } from 'vitest'
import { createStyle } from './style.ts'
import { renderText, terminalFilter, visibleJson } from './terminal-text.ts'
import { columns } from './text-table.ts'

test.each([
  ['\u001b[2J\u001b[H', '^[[2J^[[H', 'clears the screen'],
  ['\u001b]52;c;Zm9v\u0007', '^[]52;c;Zm9v^G', 'writes to the clipboard'],
  ['\u009b31m', '<U+009B>31m', 'starts a sequence with a single C1 character'],
  ['ok\rFailed', 'ok^MFailed', 'returns to the start of the line'],
  ['a\u0008b\u007f', 'a^Hb^?', 'deletes characters'],
  ['\u202egpj.exe', '<U+202E>gpj.exe', 'reverses the direction'],
  ['\u2066a\u2069', '<U+2066>a<U+2069>', 'isolates a direction'],
  ['a\u200bb\u{e0041}', 'a<U+200B>b<U+E0041>', 'hides characters'],
  ['größer\t日本\n', 'größer\t日本\n', 'is plain text'],
])('%j becomes %j: it %s', (text, escaped) => {
  expect(visible(text)).toBe(escaped)
})

test('the marks of a style become colours, and similar text does not', () => {
  const style = createStyle(true)
  expect(renderText(style.bad('no'))).toBe('\u001b[31mno\u001b[0m')
  expect(renderText(style.good('a\u001b[31mb\u001b]0123456789abcdef;31\u0007'))).toBe(
    '\u001b[32ma^[[31mb^[]0123456789abcdef;31^G\u001b[0m',
  )
})

test('a table has one line per row, whatever a cell contains', () => {
  expect(columns([['a', 'x\nReady  True'], ['b']])).toBe('a   x Ready  True\nb\n')
})

test('JSON keeps its meaning', () => {
  const value = { message: 'a\u009b31m\u202e\u{e0041}"' }
  const text = visibleJson(JSON.stringify(value))
  expect(text).toMatch(/^[\x20-\x7e]*$/)
  expect(JSON.parse(text)).toEqual(value)
})

test('output of programs keeps its colours, whatever the chunks', () => {
  const bytes = Buffer.from('a\u001b[1;31mré\u001b[0m\u001b[2J\u202e\u001b]0;t\u0007\r\n\u001b')
  const escaped = 'a\u001b[1;31mré\u001b[0m^[[2J<U+202E>^[]0;t^G\r\n^['
  for (let cut = 0; cut <= bytes.length; cut++) {
    const filter = terminalFilter()
    const text = filter.write(bytes.subarray(0, cut)) + filter.write(bytes.subarray(cut))
    expect(text + filter.end(), `cut at ${cut}`).toBe(escaped)
  }
})

import { describe, expect, test } from 'vitest'
import { lookAfter, plainLook, readAnsi } from './ansi.ts'

const esc = '\u001b'

function shown(line: string): string {
  return readAnsi(line, plainLook)
    .spans.map(({ text }) => text)
    .join('')
}

describe('readAnsi', () => {
  test('keeps colours, and carries them to the next line', () => {
    const { spans, end } = readAnsi(`a${esc}[1;31mb${esc}[0mc${esc}[92md`, plainLook)
    expect(spans).toEqual([
      { text: 'a', look: {} },
      { text: 'b', look: { bold: true, foreground: 1 } },
      { text: 'c', look: {} },
      { text: 'd', look: { foreground: 10 } },
    ])
    expect(end).toEqual({ foreground: 10 })
    expect(readAnsi('e', end).spans).toEqual([{ text: 'e', look: { foreground: 10 } }])
    expect(lookAfter(`x${esc}[39m`, end)).toEqual({})
  })

  test.each([
    { because: 'clears the screen', line: `a${esc}[2J${esc}[Hb`, text: 'ab' },
    { because: 'sets a title', line: `a${esc}]0;evil\u0007b`, text: 'ab' },
    { because: 'is a link', line: `${esc}]8;;https://evil${esc}\\x${esc}]8;;${esc}\\`, text: 'x' },
    { because: 'writes the clipboard, without end', line: `a${esc}]52;c;ZXZpbA==`, text: 'a' },
    { because: 'is a device control', line: `a${esc}P+q544e${esc}\\b`, text: 'ab' },
    { because: 'has odd parameters', line: `a${esc}[38;2;1;2;3mb${esc}[?25lc`, text: 'abc' },
    { because: 'is a lone escape', line: `a${esc}`, text: 'a␛' },
    { because: 'overwrites', line: 'good\rbad', text: 'good␍bad' },
    { because: 'reorders', line: 'a\u202eb', text: 'a⟨U+202E⟩b' },
  ])('shows the text of a line that $because', ({ line, text }) => {
    expect(shown(line)).toBe(text)
  })

  test('carries the look over any number of sequences', () => {
    expect(lookAfter(`${esc}[31m`.repeat(1000), plainLook)).toEqual({ foreground: 1 })
    expect(lookAfter(`${esc}[31m${esc}[1;4m${esc}[m${esc}[2m`, plainLook)).toEqual({ dim: true })
    expect(lookAfter(`${esc}]0;${esc}[31m\u0007${esc}[32m`, plainLook)).toEqual({ foreground: 2 })
  })
})

import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { liveLines } from './live-lines.ts'

const esc = '\u001b'
const sequences = new RegExp(`${esc}\\[(\\d+)A|${esc}\\[J|\\r|\\n|[^${esc}\\r\\n]+`, 'g')

/** What a terminal shows after this output, above the cursor. Lines never wrap in these tests. */
function screen(text: string): string[] {
  const rows: string[] = ['']
  let row = 0
  for (const [part, up] of text.matchAll(sequences)) {
    if (up !== undefined) row = Math.max(0, row - Number(up))
    else if (part === '\u001b[J') rows.splice(row, rows.length, '')
    else if (part === '\n') {
      row += 1
      rows[row] ??= ''
    } else if (part !== '\r') rows[row] += part
  }
  return rows.slice(0, -1)
}

function terminal(width = 40, height = 10) {
  let text = ''
  let report: (size: { width: number; height: number }) => void = () => undefined
  const lines = liveLines({
    stdout: new Writable({
      write: (chunk, _encoding, done) => {
        text += String(chunk)
        done()
      },
    }),
    onResize: (resize) => {
      report = resize
      report({ width, height })
      return () => {
        report = () => undefined
      }
    },
  })
  return {
    lines,
    shown: () => screen(text),
    written: () => text,
    resize: (size: never) => report(size),
  }
}

test('lines replace those before, whether there are more or fewer', () => {
  const { lines, shown } = terminal()
  lines.draw(['plan  Running', 'work  Pending'])
  lines.draw(['plan  Succeeded', 'work  Running', 'end  Pending'])
  expect(shown()).toEqual(['plan  Succeeded', 'work  Running', 'end  Pending'])
  lines.draw(['done'])
  expect(shown()).toEqual(['done'])
})

test('a line is cut to the width, wide characters included', () => {
  const { lines, shown } = terminal(12)
  lines.draw(['├─ abcdefghijkl', '語語語語語語語', 'short'])
  expect(shown()).toEqual(['├─ abcdefg…', '語語語語語…', 'short'])
})

test('what does not fit on the screen is counted', () => {
  const { lines, shown } = terminal(40, 4)
  lines.draw(['1', '2', '3', '4', '5'])
  expect(shown()).toEqual(['1', '2', '… and 3 more lines'])
  lines.draw(['1', '2', '3', '4', '6'])
  expect(shown()).toEqual(['1', '2', '… and 3 more lines'])
})

test('the message of a step cannot control the terminal, or be more than one line', () => {
  const { lines, written } = terminal()
  lines.draw(['work  \u001b[2J\nplan  Succeeded\u202e'])
  expect(written()).toBe('work  ^[[2J plan  Succeeded<U+202E>\n')
})

test('a terminal that became narrower has wrapped the lines', () => {
  const { lines, written, resize } = terminal(40)
  lines.draw(['x'.repeat(30)])
  resize({ width: 10, height: 10 } as never)
  lines.draw(['y'])
  expect(written()).toContain('\u001b[3A\r\u001b[Jy\n')
})

import { expect, test } from 'vitest'
import { type DiffLine, lineDiff } from './line-diff.ts'

const signs = { same: ' ', added: '+', removed: '-' } as const

function drawn(lines: readonly DiffLine[]): readonly string[] {
  return lines.map((line) =>
    line.kind === 'skipped' ? `@${line.count}` : `${signs[line.kind]}${line.text}`,
  )
}

test.each([
  { because: 'equal texts', before: 'a\nb', after: 'a\nb', lines: [] },
  {
    because: 'a changed line',
    before: 'a\nb\nc',
    after: 'a\nx\nc',
    lines: [' a', '-b', '+x', ' c'],
  },
  { because: 'an added line', before: 'a\nc', after: 'a\nb\nc', lines: [' a', '+b', ' c'] },
  { because: 'a removed line', before: 'a\nb\nc', after: 'a\nc', lines: [' a', '-b', ' c'] },
  {
    because: 'lines that moved',
    before: 'a\nb\nc\nd',
    after: 'b\nc\na\nd',
    lines: ['-a', ' b', ' c', '+a', ' d'],
  },
  { because: 'all of it', before: 'a', after: 'b', lines: ['-a', '+b'] },
])('lineDiff shows $because', ({ before, after, lines }) => {
  expect(drawn(lineDiff(before, after))).toEqual(lines)
})

test('equal lines far from a change are counted', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const after = before.with(10, 'other')
  expect(drawn(lineDiff(before.join('\n'), after.join('\n')))).toEqual([
    ...['@7', ' line 7', ' line 8', ' line 9', '-line 10', '+other'],
    ...[' line 11', ' line 12', ' line 13', '@6'],
  ])
})

test('texts of many lines are compared in bounded time', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`)
  const lines = lineDiff(many('a').join('\n'), many('b').join('\n'))
  expect(lines).toHaveLength(40_000)
})

import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

test.each([
  ['a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
  ['', 'a\n', ['+a']],
  ['a\n', '', ['-a']],
  ['a\n', 'a\n', []],
])('the difference of %j and %j', (before, after, lines) => {
  expect(lineDiff(before, after)).toEqual(lines)
})

test('lines far from a change are left out', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const text = `${lines.join('\n')}\n`
  expect(lineDiff(text, text.replace('line 10\n', 'changed\n'))).toEqual([
    ...[' line 7', ' line 8', ' line 9', '-line 10', '+changed'],
    ...[' line 11', ' line 12', ' line 13', '…'],
  ])
})

test('very long texts are not compared line by line', () => {
  const text = 'x\n'.repeat(5_000)
  expect(lineDiff(text, `${text}y\n`)).toHaveLength(10_001)
})

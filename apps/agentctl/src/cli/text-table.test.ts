import { expect, test } from 'vitest'
import { columns, oneLine } from './text-table.ts'

test('a line break in a cell looks like no other row', () => {
  expect(columns([['a  \n\n  b', 'c']])).toBe('a b   c\n')
})

test('blanks without a line break stay', () => {
  expect(oneLine('a  b\tc')).toBe('a  b\tc')
})

test('a message of a mebibyte of blanks is read once', () => {
  // Read again from each blank, it takes hours.
  const text = `a${' '.repeat(2 ** 20)}b`
  expect(oneLine(text)).toBe(text)
})

import { expect, test } from 'vitest'
import { indented } from './markdown-block.ts'

test('line breaks at the end are not shown', () => {
  expect(indented('a\n\nb\r\n\n', 100)).toBe('    a\n    \n    b\n')
})

test('a text of a mebibyte of line breaks is read once', () => {
  const breaks = 2 ** 20
  // Read again from each of them, it takes hours.
  const lines = indented(`a${'\n'.repeat(breaks)}b`, breaks * 2)
  expect(lines.length).toBe('    a\n    b\n'.length + (breaks - 1) * '    \n'.length)
})

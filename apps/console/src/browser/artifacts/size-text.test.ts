import { expect, test } from 'vitest'
import { sizeText } from './size-text.ts'

test.each([
  { bytes: undefined, text: '–' },
  { bytes: 0, text: '0 B' },
  { bytes: 1023, text: '1023 B' },
  { bytes: 1024, text: '1.0 KiB' },
  { bytes: 1_572_864, text: '1.5 MiB' },
  { bytes: 5 * 1024 ** 4, text: '5120 GiB' },
])('$bytes bytes are $text', ({ bytes, text }) => {
  expect(sizeText(bytes)).toBe(text)
})

import { expect, test } from 'vitest'
import { summaryText } from './approval-content.ts'

test('a prompt cannot look like another part, or change what a terminal shows', () => {
  const prompt = 'Greet\nImage: harmless:1\u001b[2A\u202Etxet\rOver'
  const text = summaryText({
    summary: [
      ['Image', 'real:1'],
      ['Prompt', prompt],
      ['Secrets', ''],
    ],
  })
  expect(text).toBe(
    'Image: real:1\nPrompt:\n  Greet\n  Image: harmless:1\uFFFD[2A\uFFFDtxet\n  Over',
  )
})

test('long texts are cut, and say so', () => {
  const text = summaryText({ summary: [['Prompt', 'a'.repeat(100_000)]] })
  expect(text.length).toBeLessThan(16_384)
  expect(text).toContain('more characters, which the digest covers')
})

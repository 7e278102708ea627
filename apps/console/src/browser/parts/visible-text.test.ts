import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test.each([
  { because: 'plain text stays', text: 'a\tb\nc é 漢 🙂', shown: 'a\tb\nc é 漢 🙂' },
  { because: 'an escape is not run', text: '\u001b[2J', shown: '␛[2J' },
  { because: 'text is not reordered', text: 'a\u202egpj.exe', shown: 'a⟨U+202E⟩gpj.exe' },
  { because: 'isolates are shown', text: '\u2066x\u2069', shown: '⟨U+2066⟩x⟨U+2069⟩' },
  { because: 'a character without width is shown', text: 'a\u200bb', shown: 'a⟨U+200B⟩b' },
  { because: 'tags are shown', text: '\u{e0041}', shown: '⟨U+E0041⟩' },
  { because: 'C1 controls are shown', text: '\u009b31m', shown: '⟨U+009B⟩31m' },
  { because: 'markup is text already', text: '<b>&amp;', shown: '<b>&amp;' },
])('visibleText: $because', ({ text, shown }) => {
  expect(visibleText(text)).toBe(shown)
})

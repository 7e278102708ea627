import { describe, expect, test } from 'vitest'
import { plainLook } from './ansi.ts'
import { mostShown, mostSpans, shownPart } from './shown-part.ts'

const esc = '\u001b'

describe('shownPart', () => {
  test('is the whole of a short line', () => {
    expect(shownPart('short', 0, plainLook)).toEqual({
      spans: [{ text: 'short', look: {} }],
      end: 5,
    })
    expect(shownPart('', 0, plainLook)).toEqual({ spans: [], end: 0 })
  })

  test.each([
    { of: 'letters', line: 'x'.repeat(1_000_000) },
    { of: 'colours', line: `${esc}[31mx${esc}[32my`.repeat(100_000) },
    { of: 'characters that are spelled out', line: '\u202e'.repeat(1_000_000) },
    { of: 'pairs of surrogates', line: '😀'.repeat(500_000) },
    { of: 'a title without end', line: `${esc}]0;${'t'.repeat(1_000_000)}` },
    { of: 'an escape without end', line: `${'x'.repeat(1490)}${esc}[${'1;'.repeat(400_000)}` },
  ])('is bounded for a line of $of, and its parts are the whole line', ({ line }) => {
    let shown = ''
    let at = 0
    for (let count = 0; count < 50; count += 1) {
      const { spans, end } = shownPart(line, at, plainLook)
      const text = spans.map((span) => span.text).join('')
      expect(text.length).toBeLessThanOrEqual(mostShown)
      expect(spans.length).toBeLessThanOrEqual(mostSpans)
      expect(end).toBeGreaterThan(at)
      shown += text
      at = end
    }
    if (line.startsWith('😀')) expect(shown).toBe(line.slice(0, at))
  })

  test('does not cut a sequence of a terminal in two', () => {
    for (let before = 1480; before < 1510; before += 1) {
      const line = `${'x'.repeat(before)}${esc}[31m${'y'.repeat(3000)}`
      const first = shownPart(line, 0, plainLook)
      const second = shownPart(line, first.end, plainLook)
      const text = [...first.spans, ...second.spans].map((span) => span.text).join('')
      expect(text.replace(/^x+y+$/, '')).toBe('')
    }
  })
})

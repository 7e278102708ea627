import { describe, expect, test } from 'vitest'
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  spanIdOf,
  traceIdOf,
} from './span-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('traceparent', () => {
  test.each([
    { because: 'sampled', text: `00-${traceId}-${spanId}-01`, isSampled: true },
    { because: 'not sampled', text: `00-${traceId}-${spanId}-00`, isSampled: false },
    {
      because: 'another flag does not mean sampled',
      text: `00-${traceId}-${spanId}-02`,
      isSampled: false,
    },
    { because: 'sampled with another flag', text: `00-${traceId}-${spanId}-03`, isSampled: true },
    {
      because: 'a later version may have more fields',
      text: `01-${traceId}-${spanId}-01-more`,
      isSampled: true,
    },
    { because: 'surrounding blanks', text: ` 00-${traceId}-${spanId}-01 `, isSampled: true },
  ])('is parsed: $because', ({ text, isSampled }) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled })
  })

  test.each([
    { because: 'it is missing', text: undefined },
    { because: 'it is empty', text: '' },
    { because: 'version ff is forbidden', text: `ff-${traceId}-${spanId}-01` },
    { because: 'the first version has four parts', text: `00-${traceId}-${spanId}-01-more` },
    { because: 'a trace id of zeros is invalid', text: `00-${'0'.repeat(32)}-${spanId}-01` },
    { because: 'a span id of zeros is invalid', text: `00-${traceId}-${'0'.repeat(16)}-01` },
    { because: 'upper case is not allowed', text: `00-${traceId.toUpperCase()}-${spanId}-01` },
    { because: 'it is too short', text: `00-${traceId.slice(1)}-${spanId}-01` },
  ])('is ignored: $because', ({ text }) => {
    expect(parseTraceparent(text)).toBeUndefined()
  })

  test('survives a round trip', () => {
    for (const isSampled of [true, false]) {
      const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled }
      expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
    }
  })
})

describe('deterministic ids', () => {
  test('a trace id is a uid without its hyphens', () => {
    expect(traceIdOf('4BF92F35-77b3-4da6-a3ce-929d0e0e4736')).toBe(traceId)
  })

  test.each(['', 'run-7', '00000000-0000-0000-0000-000000000000'])(
    'the trace id of %j is a digest',
    (uid) => {
      const id = traceIdOf(uid)
      expect(parseTraceparent(`00-${id}-${spanId}-01`)?.traceId).toBe(id)
      expect(traceIdOf(uid)).toBe(id)
    },
  )

  test('the span ids of different lists of parts differ', () => {
    const ids = [spanIdOf('a', 'b'), spanIdOf('ab'), spanIdOf('a,b'), spanIdOf('b', 'a')]
    expect(new Set(ids).size).toBe(ids.length)
    expect(spanIdOf('a', 'b')).toBe(ids[0])
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/)
  })
})

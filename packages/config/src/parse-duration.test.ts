import { describe, expect, test } from 'vitest'
import { parseDuration } from './parse-duration.ts'

describe('parseDuration', () => {
  test.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['0s', 0],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each(['', '5', 's', '5 s', '-5s', '5x', '5s,', '.s', '1..5s'])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { CommitWindow } from './commit-window.ts'

const settings = { commitWindowMs: 5, maxWindowMs: 30 }

describe('CommitWindow', () => {
  test.each([
    [[0], 5, 'silence follows'],
    [[0, 3, 6], 11, 'each change starts the silence anew'],
    [[0, 4, 8, 12, 16, 20, 24, 28], 30, 'however busy it is, nobody waits longer'],
  ])('changes at %j are due at %i, because %s', (times, due) => {
    const window = new CommitWindow()
    for (const time of times) window.note(time)
    expect(window.dueAt(settings)).toBe(due)
  })

  test('what waits when it is closed is due at once, and the next change opens a new one', () => {
    const window = new CommitWindow()
    window.note(0)
    window.close()
    expect(window.dueAt(settings)).toBeLessThan(0)
    window.note(100)
    expect(window.dueAt(settings)).toBe(105)
  })
})

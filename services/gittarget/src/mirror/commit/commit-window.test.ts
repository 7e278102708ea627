import { describe, expect, test } from 'vitest'
import { CommitWindow } from './commit-window.ts'

const settings = { commitWindowMs: 5, maxWindowMs: 30 }

describe('CommitWindow', () => {
  test.each([
    [[0], 5, 'no change follows'],
    [[0, 3, 6], 11, 'each change restarts the wait'],
    [[0, 4, 8, 12, 16, 20, 24, 28], 30, 'the wait has a limit'],
  ])('changes at %j are due at %i, because %s', (times, due) => {
    const window = new CommitWindow()
    for (const time of times) window.note(time)
    expect(window.dueAt(settings)).toBe(due)
  })

  test('a closed window is due at once, and the next change opens a new one', () => {
    const window = new CommitWindow()
    window.note(0)
    window.close()
    expect(window.dueAt(settings)).toBeLessThan(0)
    window.note(100)
    expect(window.dueAt(settings)).toBe(105)
  })
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { progressTeller } from './progress-teller.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('progress', () => {
  test.each([
    {
      because: 'waiting that is over in a moment is not worth a line',
      told: ['Pending: provider', 500, 'Pending: agent', 500, 'Running: job'],
      said: ['Running: job'],
    },
    {
      because: 'waiting that lasts is',
      told: ['Pending: agent', 1000, 'Running: job'],
      said: ['Pending: agent', 'Running: job'],
    },
    {
      because: 'the same is said once',
      told: ['Running: job', 'Running: job', 'Pending: a', 2000, 'Pending: a', 2000],
      said: ['Running: job', 'Pending: a'],
    },
    {
      because: 'who sees no more of it learns where it stood',
      told: ['Pending: agent', 'flush', 'flush', 2000],
      said: ['Pending: agent'],
    },
    { because: 'its end says more', told: ['Pending: agent', 'drop', 2000], said: [] },
  ] as const)('$because', ({ told, said }) => {
    const lines: string[] = []
    const teller = progressTeller((line) => lines.push(line), 1000)
    for (const what of told) {
      if (typeof what === 'number') vi.advanceTimersByTime(what)
      else if (what === 'flush' || what === 'drop') teller[what]()
      else teller.tell(what)
    }
    expect(lines).toEqual(said)
  })
})

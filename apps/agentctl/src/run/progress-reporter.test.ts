import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProgressReporter } from './progress-reporter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('progress', () => {
  test.each([
    {
      because: 'a short wait is not reported',
      steps: ['Pending: provider', 500, 'Pending: agent', 500, 'Running: job'],
      reported: ['Running: job'],
    },
    {
      because: 'a long wait is reported',
      steps: ['Pending: agent', 1000, 'Running: job'],
      reported: ['Pending: agent', 'Running: job'],
    },
    {
      because: 'the same state is reported once',
      steps: ['Running: job', 'Running: job', 'Pending: a', 2000, 'Pending: a', 2000],
      reported: ['Running: job', 'Pending: a'],
    },
    {
      because: 'a flush reports the last state',
      steps: ['Pending: agent', 'flush', 'flush', 2000],
      reported: ['Pending: agent'],
    },
    {
      because: 'a dropped state is not reported',
      steps: ['Pending: agent', 'drop', 2000],
      reported: [],
    },
  ] as const)('$because', ({ steps, reported }) => {
    const lines: string[] = []
    const reporter = createProgressReporter((line) => lines.push(line), 1000)
    for (const what of steps) {
      if (typeof what === 'number') vi.advanceTimersByTime(what)
      else if (what === 'flush' || what === 'drop') reporter[what]()
      else reporter.report(what)
    }
    expect(lines).toEqual(reported)
  })
})

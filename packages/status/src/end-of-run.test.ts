import { expect, test } from 'vitest'
import { endOfRun } from './end-of-run.ts'

const now = '2026-03-01T12:00:00Z'
const longAgo = '2020-01-01T00:00:00Z'

function run(times: { created?: string; finishedAt?: string; transition?: string }) {
  const { created, finishedAt, transition } = times
  return {
    metadata: { name: 'a', ...(created && { creationTimestamp: created }) },
    status: {
      ...(finishedAt && { finishedAt }),
      conditions: transition ? [{ type: 'Finished', lastTransitionTime: transition }] : [],
    },
  }
}

test.each([
  { because: 'all times agree', created: longAgo, finishedAt: now, transition: now, end: now },
  { because: 'finishedAt is too old', finishedAt: longAgo, transition: now, end: now },
  { because: 'the transition is too old', finishedAt: now, transition: longAgo, end: now },
  {
    because: 'both are older than the run',
    created: now,
    finishedAt: longAgo,
    transition: longAgo,
    end: now,
  },
  { because: 'finishedAt cannot be parsed', finishedAt: 'never', transition: now, end: now },
  { because: 'only finishedAt is known', finishedAt: now, end: now },
  { because: 'nothing can be parsed', finishedAt: 'never', end: undefined },
  { because: 'the run has not finished', created: now, transition: now, end: undefined },
])('the end of a run when $because', ({ end, because: _, ...times }) => {
  expect(endOfRun(run(times))).toBe(end === undefined ? undefined : Date.parse(end))
})

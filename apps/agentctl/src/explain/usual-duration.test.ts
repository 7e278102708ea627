import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { usualDuration, usualText } from './usual-duration.ts'

const began = Date.parse('2030-01-01T00:00:00Z')

interface Past {
  readonly seconds: number
  readonly agent?: string
  readonly succeeded?: boolean
  readonly steps?: number
  /** Minutes after the first one. */
  readonly at?: number
}

function past({ seconds, agent = 'coder', succeeded = true, steps = 0, at = 0 }: Past): AgentRun {
  const startedAt = began + at * 60_000
  return {
    metadata: { name: `run-${seconds}`, uid: `uid-${seconds}` },
    spec: {
      agentRef: { name: agent },
      ...(steps > 0 && { workflow: { steps: Array.from({ length: steps }, () => ({})) } }),
    },
    status: {
      startedAt: new Date(startedAt).toISOString(),
      finishedAt: new Date(startedAt + seconds * 1000).toISOString(),
      conditions: [{ type: 'Succeeded', status: succeeded ? 'True' : 'False' }],
    },
  } as unknown as AgentRun
}

function current(elapsed?: number): AgentRun {
  return {
    metadata: { name: 'now', uid: 'now' },
    spec: { agentRef: { name: 'coder' } },
    status: elapsed === undefined ? {} : { startedAt: new Date(began).toISOString() },
  } as AgentRun
}

function usual(all: readonly Past[], elapsed?: number) {
  return usualDuration(current(elapsed), all.map(past), new Date(began + (elapsed ?? 0) * 1000))
}

const five = [60, 300, 120, 240, 180].map((seconds) => ({ seconds }))

test('is that of runs of the same agent that succeeded', () => {
  const others = [
    { seconds: 9000, agent: 'other' },
    { seconds: 9001, succeeded: false },
    { seconds: 9002, steps: 3 },
    { seconds: -5 },
  ]
  expect(usual([...five, ...others])).toEqual({
    runs: 5,
    leastSeconds: 60,
    medianSeconds: 180,
    mostSeconds: 300,
  })
})

test('says nothing without past runs, and nothing about a run that has ended', () => {
  expect(usual([])).toBeUndefined()
  const ended = past({ seconds: 7 })
  expect(usualDuration(ended, five.map(past), new Date(began))).toBeUndefined()
})

test('is that of the last runs: an agent changes', () => {
  const old = Array.from({ length: 30 }, (_, at) => ({ seconds: 5000 + at, at }))
  const recent = Array.from({ length: 20 }, (_, at) => ({ seconds: 100 + at, at: 1000 + at }))
  expect(usual([...old, ...recent])).toMatchObject({
    runs: 20,
    leastSeconds: 100,
    mostSeconds: 119,
  })
})

test.each([
  { because: 'at its start', elapsed: 0, left: 180 },
  { because: 'when it took longer than most, those that took longer', elapsed: 200, left: 70 },
])('of a run says what is left: $because', ({ elapsed, left }) => {
  expect(usual(five, elapsed)?.leftSeconds).toBe(left)
})

test('of a run that takes longer than all says so', () => {
  const found = usual(five, 301)
  expect(found).not.toHaveProperty('leftSeconds')
  expect(found && usualText(found, true)).toBe(
    'The last 5 runs of this agent that succeeded took 3m (median), between 60s and 5m. This one takes longer than all of these.\n',
  )
})

test.each([
  {
    because: 'one that waits',
    elapsed: undefined,
    text: 'The last 5 runs of this agent that succeeded took 3m (median), between 60s and 5m.\n',
  },
  {
    because: 'one that works',
    elapsed: 30,
    text: 'The last 5 runs of this agent that succeeded took 3m (median), between 60s and 5m. About 2m30s are left.\n',
  },
])('as text, of $because', ({ elapsed, text }) => {
  const found = usual(five, elapsed)
  expect(found && usualText(found, elapsed !== undefined)).toBe(text)
})

test('as text, with one past run', () => {
  const found = usual([{ seconds: 90 }])
  expect(found && usualText(found, false)).toBe(
    'The only run of this agent that succeeded took 90s.\n',
  )
})

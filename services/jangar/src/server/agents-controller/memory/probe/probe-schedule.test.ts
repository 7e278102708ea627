import { describe, expect, test } from 'vitest'
import type { ProbeOutcome } from './probe-outcome.ts'
import { ProbeSchedule, probeEveryMs } from './probe-schedule.ts'

const now = new Date('2026-01-01T00:00:00Z')

function setUp(outcomes: readonly ProbeOutcome['kind'][]) {
  let elapsed = 0
  let probeCount = 0
  const schedule = new ProbeSchedule(() => elapsed)
  return {
    probeCount: () => probeCount,
    pass: (ms: number) => {
      elapsed += ms
    },
    forget: () => schedule.forget('k'),
    probe: (subject = 's') =>
      schedule.probe('k', subject, now, async () => {
        const kind = outcomes[Math.min(probeCount, outcomes.length - 1)] ?? 'reachable'
        probeCount += 1
        return kind === 'reachable' ? { kind } : { kind, message: '' }
      }),
  }
}

describe('a store is probed', () => {
  test('at a fixed interval if it is reachable, however often it is reconciled', async () => {
    const harness = setUp(['reachable'])
    for (let times = 0; times < 10; times += 1) await harness.probe()
    expect(harness.probeCount()).toBe(1)
    harness.pass(probeEveryMs - 1)
    expect((await harness.probe()).dueInMs).toBe(1)
    harness.pass(1)
    await harness.probe()
    expect(harness.probeCount()).toBe(2)
  })

  test('with exponential backoff if it is unreachable, and at the fixed interval once it recovers', async () => {
    const harness = setUp([...Array(8).fill('unreachable'), 'reachable'])
    const pauses: number[] = []
    for (let times = 0; times < 9; times += 1) {
      const { dueInMs } = await harness.probe()
      pauses.push(dueInMs / 1000)
      harness.pass(dueInMs)
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
    expect(harness.probeCount()).toBe(9)
  })

  test('at once if its address may have changed, or if it was recreated', async () => {
    const harness = setUp(['unreachable'])
    await harness.probe('a')
    await harness.probe('b')
    harness.forget()
    await harness.probe('b')
    expect(harness.probeCount()).toBe(3)
  })
})

import { describe, expect, test } from 'vitest'
import type { ProbeOutcome } from './probe-outcome.ts'
import { ProbeSchedule, probeEveryMs } from './probe-schedule.ts'

const now = new Date('2026-01-01T00:00:00Z')

function setUp(outcomes: readonly ProbeOutcome['kind'][]) {
  let elapsed = 0
  let looks = 0
  const schedule = new ProbeSchedule(() => elapsed)
  return {
    looks: () => looks,
    pass: (ms: number) => {
      elapsed += ms
    },
    forget: () => schedule.forget('k'),
    probe: (subject = 's') =>
      schedule.probe('k', subject, now, async () => {
        const kind = outcomes[Math.min(looks, outcomes.length - 1)] ?? 'reachable'
        looks += 1
        return kind === 'reachable' ? { kind } : { kind, message: '' }
      }),
  }
}

describe('how often a store is looked at', () => {
  test('once in a while when it answers, whatever else wakes up', async () => {
    const bench = setUp(['reachable'])
    for (let times = 0; times < 10; times += 1) await bench.probe()
    expect(bench.looks()).toBe(1)
    bench.pass(probeEveryMs - 1)
    expect((await bench.probe()).dueInMs).toBe(1)
    bench.pass(1)
    await bench.probe()
    expect(bench.looks()).toBe(2)
  })

  test('soon when it does not answer, then less and less often, and seldom again once it does', async () => {
    const bench = setUp([...Array(8).fill('unreachable'), 'reachable'])
    const pauses: number[] = []
    for (let times = 0; times < 9; times += 1) {
      const { dueInMs } = await bench.probe()
      pauses.push(dueInMs / 1000)
      bench.pass(dueInMs)
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
    expect(bench.looks()).toBe(9)
  })

  test('at once when the address may be another, or the store is a new one', async () => {
    const bench = setUp(['unreachable'])
    await bench.probe('a')
    await bench.probe('b')
    bench.forget()
    await bench.probe('b')
    expect(bench.looks()).toBe(3)
  })
})

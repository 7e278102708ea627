import { systemClock } from '@agents/controller'
import { describe, expect, test } from 'vitest'
import { settled, stoppedClock } from '../testing/stopped-clock.ts'
import { WorkLoop } from './work-loop.ts'

describe('WorkLoop', () => {
  test('runs one step at a time, and one more for calls during a step', async () => {
    let steps = 0
    let atOnce = 0
    const loop = new WorkLoop({
      clock: systemClock,
      step: async () => {
        atOnce += 1
        expect(atOnce).toBe(1)
        steps += 1
        await settled()
        atOnce -= 1
      },
      failed: () => 'wait',
    })
    for (let call = 0; call < 5; call += 1) loop.kick()
    await loop.settle(1_000)
    expect(steps).toBe(2)
  })

  test('does not miss a call at the moment when it ends', async () => {
    let steps = 0
    const loop: WorkLoop = new WorkLoop({
      clock: systemClock,
      step: async () => {
        steps += 1
        // Some turns later, about when the loop has checked for the last time.
        if (steps === 1) {
          void Promise.resolve()
            .then(() => undefined)
            .then(() => loop.kick())
        }
      },
      failed: () => 'wait',
    })
    loop.kick()
    await settled()
    expect(steps).toBe(2)
  })

  test('backs off while steps fail, until a step succeeds or a call skips the wait', async () => {
    const clock = stoppedClock()
    const seen: boolean[] = []
    let isBroken = true
    const loop: WorkLoop = new WorkLoop({
      clock,
      step: async () => {
        if (isBroken) throw new Error('not yet')
      },
      failed: (_error, isFirst) => {
        seen.push(isFirst)
        return 'wait'
      },
    })
    loop.kick()
    await settled()
    expect(seen).toEqual([true])
    loop.kick()
    await clock.pass(999)
    expect(seen).toHaveLength(1)
    await clock.pass(1)
    expect(seen).toEqual([true, false])
    await clock.pass(1_999)
    expect(seen).toHaveLength(2)
    loop.kickNow()
    await settled()
    expect(seen).toHaveLength(3)
    isBroken = false
    loop.kickNow()
    loop.progressed()
    await settled()
    isBroken = true
    loop.kickNow()
    await settled()
    expect(seen.at(-1)).toBe(true)
  })

  test('runs no step after it was stopped', async () => {
    let steps = 0
    const loop = new WorkLoop({
      clock: systemClock,
      step: async () => {
        steps += 1
      },
      failed: () => 'wait',
    })
    loop.stop()
    loop.kick()
    await settled()
    expect(steps).toBe(0)
  })
})

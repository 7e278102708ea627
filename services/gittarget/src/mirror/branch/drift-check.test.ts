import { GitError, type GitErrorCode } from '@agents/git'
import { describe, expect, test } from 'vitest'
import { stoppedClock } from '../../testing/stopped-clock.ts'
import { DriftCheck } from './drift-check.ts'

/** A check every 300 seconds, of a server whose next errors the test determines. */
function checkOf(...errors: GitErrorCode[]) {
  const clock = stoppedClock()
  const drift = new DriftCheck(clock)
  const asked: { at: number; maxAgeMs: number | undefined }[] = []
  let wakeAt = 0
  const run = (blocked?: { isDue: boolean; again: number }, intervalMs = 300_000) =>
    drift.run({
      intervalMs,
      blocked,
      worker: async () => ({
        refresh: async (maxAgeMs) => {
          asked.push({ at: clock.elapsed(), maxAgeMs })
          const code = errors.shift()
          if (code !== undefined) throw new GitError(code, 'the server fails')
        },
      }),
      wakeAt: (time) => {
        wakeAt = time
      },
    })
  return { clock, drift, asked, run, wakeAt: () => wakeAt }
}

describe('DriftCheck', () => {
  test('asks at the interval, counted from the last contact, and shares the check with other mirrors', async () => {
    const { clock, drift, asked, run, wakeAt } = checkOf()
    await run()
    expect([asked.length, wakeAt()]).toEqual([0, 300_000])
    await clock.pass(200_000)
    drift.succeeded()
    await run()
    expect([asked.length, wakeAt()]).toEqual([0, 500_000])
    await clock.pass(300_000)
    await run()
    expect(asked).toEqual([{ at: 500_000, maxAgeMs: 150_000 }])
    expect(wakeAt()).toBe(800_000)
  })

  test('asks without regard to others if a file is blocked, also if it is off', async () => {
    const { asked, run, wakeAt } = checkOf()
    await run({ isDue: true, again: 60_000 }, 0)
    expect(asked).toEqual([{ at: 0, maxAgeMs: 0 }])
    expect(wakeAt()).toBe(60_000)
  })

  test('asks nothing if it is off', async () => {
    const { clock, asked, run, wakeAt } = checkOf()
    await run(undefined, 0)
    await clock.pass(86_400_000)
    await run(undefined, 0)
    expect([asked.length, wakeAt()]).toEqual([0, 0])
  })

  test('reports an error that a retry may resolve at its second occurrence, until the server answers', async () => {
    const { clock, drift, run, wakeAt } = checkOf('unreachable', 'unreachable')
    await run()
    await clock.pass(300_000)
    expect(await run()).toBe(false)
    expect(drift.problem).toBeUndefined()
    expect(wakeAt()).toBe(360_000)
    await clock.pass(60_000)
    expect(await run()).toBe(true)
    expect(drift.problem).toMatchObject({ isStuck: false })
    await clock.pass(60_000)
    expect(await run()).toBe(true)
    expect(drift.problem).toBeUndefined()
  })

  test('reports a missing repository at once', async () => {
    const { clock, drift, run } = checkOf('not-found')
    await run()
    await clock.pass(300_000)
    expect(await run()).toBe(true)
    expect(drift.problem).toMatchObject({ isStuck: true })
  })

  test('passes on that the worker was closed', async () => {
    const { run } = checkOf('aborted')
    await expect(run({ isDue: true, again: 1 })).rejects.toMatchObject({ code: 'aborted' })
  })
})

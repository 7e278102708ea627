import { type Connection, GitError, type GitErrorCode } from '@agents/git'
import { describe, expect, test } from 'vitest'
import { stoppedClock } from '../testing/stopped-clock.ts'
import { Reachability } from './reachability.ts'

const connection: Connection = { url: 'https://git.test/repository', credentials: { kind: 'none' } }

/** A server whose next errors the test determines; undefined is an answer. */
function reachabilityOf({ errors = [] as (GitErrorCode | undefined)[], random = 0 } = {}) {
  const clock = stoppedClock()
  let asked = 0
  const reachability = new Reachability({
    clock,
    path: '',
    random: () => random,
    inspect: async () => {
      asked += 1
      const code = errors.shift()
      if (code !== undefined) throw new GitError(code, 'the server fails')
      return { defaultBranch: undefined }
    },
  })
  const { signal } = new AbortController()
  const check = (one = connection) => reachability.check('team/repository', one, signal)
  return { clock, reachability, check, asked: () => asked }
}

describe('Reachability', () => {
  test('asks the server again when the interval has passed, and not earlier', async () => {
    const { clock, check, asked } = reachabilityOf()
    expect(await check()).toBe(300_000)
    await clock.pass(100_000)
    expect(await check()).toBe(200_000)
    expect(asked()).toBe(1)
    await clock.pass(200_000)
    expect(await check()).toBe(300_000)
    expect(asked()).toBe(2)
  })

  test('spreads the checks of providers that were checked together', async () => {
    expect(await reachabilityOf({ random: 1 }).check()).toBe(360_000)
  })

  test('reports at once that the repository is gone or the credentials were revoked', async () => {
    for (const code of ['not-found', 'auth'] as const) {
      const { clock, check } = reachabilityOf({ errors: [undefined, code] })
      await check()
      await clock.pass(300_000)
      await expect(check()).rejects.toMatchObject({ code })
    }
  })

  test('repeats a check that failed once, and reports the second failure', async () => {
    const errors: (GitErrorCode | undefined)[] = [undefined, 'timeout', 'unreachable']
    const { clock, check, asked } = reachabilityOf({ errors })
    await check()
    await clock.pass(300_000)
    expect(await check()).toBe(30_000)
    expect(await check(), 'the retry is not due yet').toBe(30_000)
    expect(asked()).toBe(2)
    await clock.pass(30_000)
    await expect(check()).rejects.toMatchObject({ code: 'unreachable' })
    expect(await check(), 'the server responds again').toBe(300_000)
  })

  test('reports the first failure of a repository that was never read', async () => {
    const { check } = reachabilityOf({ errors: ['timeout'] })
    await expect(check()).rejects.toMatchObject({ code: 'timeout' })
  })

  test('asks again after a failure was reported, and after the connection changed', async () => {
    const { reachability, check, asked } = reachabilityOf()
    expect(reachability.forget('team/repository')).toBe(false)
    await check()
    expect(reachability.forget('team/repository')).toBe(true)
    await check()
    await check({ ...connection, url: 'https://git.test/other' })
    expect(asked()).toBe(3)
  })
})

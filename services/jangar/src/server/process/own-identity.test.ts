import { type Clock, systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { ownIdentity } from './own-identity.ts'

test('a process whose identity is unknown at startup retries until it is known', async () => {
  const stop = new AbortController()
  const learned = Promise.withResolvers<string | undefined>()
  let asked = 0
  const client = {
    whoAmI: async () => {
      asked += 1
      if (asked < 4) throw new Error('no answer')
      return { username: 'system:serviceaccount:agents:controllers', groups: [] }
    },
  }
  const pauses: number[] = []
  const clock: Clock = {
    ...systemClock,
    after: (milliseconds, action) => {
      pauses.push(milliseconds)
      return systemClock.after(0, action)
    },
  }
  const log = silentLogger
  const runnable = ownIdentity(client as never, { learn: learned.resolve }, log, clock)
  await runnable.start?.(stop.signal)
  expect(asked).toBe(1)
  const running = runnable.run(stop.signal)
  expect(await learned.promise).toBe('system:serviceaccount:agents:controllers')
  stop.abort()
  await running
  expect(asked).toBe(4)
  expect(pauses).toEqual([1000, 2000, 4000])
})

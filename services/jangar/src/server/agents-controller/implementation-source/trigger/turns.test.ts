import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const { signal } = new AbortController()

test('work about one thing is done in turn, and about others meanwhile', async () => {
  const turns = new Turns()
  const done: string[] = []
  const [first, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = (name: string, until?: Promise<void>) => async () => {
    done.push(`${name} begins`)
    await until
    done.push(`${name} ends`)
  }
  const all = [
    turns.take('a', signal, work('a1', first.promise)),
    turns.take('a', signal, work('a2')),
    turns.take('b', signal, work('b', other.promise)),
  ]
  other.resolve()
  await all[2]
  first.resolve()
  await Promise.all(all)
  expect(done).toEqual(['a1 begins', 'b begins', 'b ends', 'a1 ends', 'a2 begins', 'a2 ends'])
  await setImmediate()
  expect(turns.size).toBe(0)
})

test('work that fails, or is no longer waited for, holds up nobody and lets nobody overtake', async () => {
  const turns = new Turns()
  const first = Promise.withResolvers<void>()
  const stopped = new AbortController()
  let isFree = false
  const failing = turns.take('a', signal, async () => {
    await first.promise
    isFree = true
    throw new Error('no')
  })
  const waiting = turns.take('a', stopped.signal, async () => 'never')
  const last = turns.take('a', signal, async () => isFree)
  stopped.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  first.resolve()
  await expect(failing).rejects.toThrow('no')
  expect(await last).toBe(true)
  await setImmediate()
  expect(turns.size).toBe(0)
})

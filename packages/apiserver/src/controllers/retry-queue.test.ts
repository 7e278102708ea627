import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RetryQueue } from './retry-queue.ts'

function ignore() {
  return undefined
}

describe('a retry queue', () => {
  test('processes a key once even if it was added several times', async () => {
    const done: string[] = []
    const queue = new RetryQueue(async (key) => void done.push(key), ignore)
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
    await queue.idle()
    expect(done).toEqual(['a', 'b'])
  })

  test('processes a key again if it was added during its processing', async () => {
    const done: string[] = []
    const queue: RetryQueue = new RetryQueue(async (key) => {
      done.push(key)
      if (done.length === 1) queue.add(key)
    }, ignore)
    queue.add('a')
    await queue.idle()
    expect(done).toEqual(['a', 'a'])
  })

  test('never processes two keys at the same time', async () => {
    let running = 0
    let most = 0
    const queue = new RetryQueue(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running -= 1
    }, ignore)
    for (const key of ['a', 'b', 'c']) queue.add(key)
    await queue.idle()
    expect(most).toBe(1)
  })

  test('retries and reports failures', async () => {
    const errors: string[] = []
    let tries = 0
    const succeeded = new Promise<void>((resolve) => {
      const queue = new RetryQueue(
        async () => {
          tries += 1
          if (tries < 3) throw new Error('not yet')
          resolve()
        },
        (key) => void errors.push(key),
      )
      queue.add('a')
    })
    await succeeded
    expect({ tries, errors }).toEqual({ tries: 3, errors: ['a', 'a'] })
  })

  test('starts nothing after it was stopped', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const done: string[] = []
    const queue = new RetryQueue(async (key) => void done.push(key), ignore)
    queue.addAfter('later', 1)
    expect(vi.getTimerCount()).toBe(1)
    await queue.stop()
    queue.add('a')
    queue.addAfter('again', 1)
    expect(vi.getTimerCount()).toBe(0)
    expect(done).toEqual([])
  })
})

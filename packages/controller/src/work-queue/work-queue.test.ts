import { describe, expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import { lowPriority, WorkQueue } from './work-queue.ts'

function setUp() {
  const clock = new ManualClock()
  return { clock, queue: new WorkQueue({ clock }) }
}

/** Takes and finishes all keys that are ready now. */
async function drainReady(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = []
  while (queue.length > 0) {
    const taken = await queue.take()
    if (!taken) break
    keys.push(taken.key)
    queue.done(taken.key)
  }
  return keys
}

describe('one key', () => {
  test('that is added repeatedly is taken once', async () => {
    const { queue } = setUp()
    for (let times = 0; times < 3; times += 1) queue.add('a')
    expect(await drainReady(queue)).toEqual(['a'])
  })

  test('is not taken again while it is processed, and once more after that', async () => {
    const { queue } = setUp()
    queue.add('a')
    await queue.take()
    queue.add('a')
    queue.add('a')
    let second: string | undefined
    void queue.take().then((taken) => {
      second = taken?.key
    })
    await Promise.resolve()
    expect(second).toBeUndefined()
    queue.done('a')
    await Promise.resolve()
    expect(second).toBe('a')
    queue.done('a')
    expect(queue.length).toBe(0)
  })

  test('keeps its order in the queue while it is processed', async () => {
    const { queue } = setUp()
    queue.add('a')
    await queue.take()
    queue.add('a')
    queue.add('b')
    queue.done('a')
    expect(await drainReady(queue)).toEqual(['a', 'b'])
  })

  test('that was never taken can be marked as done without effect', () => {
    const { queue } = setUp()
    queue.done('a')
    expect(queue.length).toBe(0)
  })
})

describe('a delayed key', () => {
  test('becomes ready when it is due, at the earliest of several times', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { afterMs: 1000 })
    queue.add('a', { afterMs: 100 })
    queue.add('a', { afterMs: 500 })
    await clock.advance(99)
    expect(queue.length).toBe(0)
    await clock.advance(1)
    expect(await drainReady(queue)).toEqual(['a'])
    await clock.advance(10_000)
    expect(queue.length).toBe(0)
    expect(clock.pendingAlarms).toBe(0)
  })

  test('becomes ready at once if it is also added without delay, and only once', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { afterMs: 1000 })
    queue.add('a')
    expect(await drainReady(queue)).toEqual(['a'])
    await clock.advance(2000)
    expect(queue.length).toBe(0)
  })

  test('that is ready already stays ready', async () => {
    const { queue } = setUp()
    queue.add('a')
    queue.add('a', { afterMs: 1000 })
    expect(await drainReady(queue)).toEqual(['a'])
  })

  test('is ordered by the time at which it becomes due', async () => {
    const { clock, queue } = setUp()
    queue.add('late', { afterMs: 20 })
    queue.add('early', { afterMs: 10 })
    await clock.advance(15)
    queue.add('now')
    await clock.advance(15)
    expect(await drainReady(queue)).toEqual(['early', 'now', 'late'])
  })

  test('that becomes due while it is processed is ready after done', async () => {
    const { clock, queue } = setUp()
    queue.add('a')
    await queue.take()
    queue.add('a', { afterMs: 10 })
    await clock.advance(20)
    expect(queue.length).toBe(1)
    queue.done('a')
    expect(await drainReady(queue)).toEqual(['a'])
  })

  test('is not late when the wall clock jumps', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { afterMs: 1000 })
    clock.jump(-86_400_000)
    await clock.advance(1000)
    expect(queue.length).toBe(1)
  })

  test('leaves no timers behind, however often it is delayed', async () => {
    const { clock, queue } = setUp()
    for (let times = 0; times < 100; times += 1) {
      queue.add('a', { afterMs: 3_600_000 })
      queue.add('a')
      await drainReady(queue)
    }
    expect(queue.waitingLength).toBe(0)
    queue.add('a', { afterMs: 1 })
    expect(clock.pendingAlarms).toBe(1)
  })
})

describe('priorities', () => {
  test('come before order; keys of one priority keep their order', async () => {
    const { queue } = setUp()
    queue.add('list-1', { priority: lowPriority })
    queue.add('list-2', { priority: lowPriority })
    queue.add('event-1')
    queue.add('urgent', { priority: 10 })
    queue.add('event-2')
    expect(await drainReady(queue)).toEqual(['urgent', 'event-1', 'event-2', 'list-1', 'list-2'])
  })

  test('rise if a key is added again, to the end of the new priority, and never fall', async () => {
    const { queue } = setUp()
    queue.add('a', { priority: lowPriority })
    queue.add('b')
    queue.add('a')
    queue.add('b', { priority: lowPriority })
    queue.add('c')
    expect(await drainReady(queue)).toEqual(['b', 'a', 'c'])
  })

  test('are returned with the key, so that it can be added again with the same', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { priority: 7 })
    expect(await queue.take()).toEqual({ key: 'a', priority: 7 })
    queue.add('a', { priority: 7, rateLimited: true })
    queue.done('a')
    await clock.advance(5)
    expect(await queue.take()).toEqual({ key: 'a', priority: 7 })
  })

  test('of a delayed key rise too', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { afterMs: 10 })
    queue.add('a', { afterMs: 20, priority: 5 })
    await clock.advance(10)
    expect(await queue.take()).toEqual({ key: 'a', priority: 5 })
  })
})

describe('failures', () => {
  test('back off longer each time, until the key is forgotten', async () => {
    const { clock, queue } = setUp()
    for (const wait of [5, 10, 20]) {
      queue.add('a', { rateLimited: true })
      await clock.advance(wait - 1)
      expect(queue.length).toBe(0)
      await clock.advance(1)
      await drainReady(queue)
    }
    expect(queue.failures('a')).toBe(3)
    queue.forget('a')
    queue.add('a', { rateLimited: true })
    await clock.advance(5)
    expect(await drainReady(queue)).toEqual(['a'])
  })

  test('with an explicit delay wait for the shorter of both', async () => {
    const { clock, queue } = setUp()
    queue.add('a', { rateLimited: true, afterMs: 1000 })
    await clock.advance(5)
    expect(await drainReady(queue)).toEqual(['a'])
  })
})

describe('shutting down', () => {
  test('releases waiting takers, rejects new keys, and waits for taken keys', async () => {
    const { queue } = setUp()
    queue.add('a')
    await queue.take()
    const blocked = queue.take()
    let over = false
    const end = queue.shutDown().then(() => {
      over = true
    })
    expect(await blocked).toBeUndefined()
    queue.add('b')
    expect(await queue.take()).toBeUndefined()
    expect(over).toBe(false)
    queue.done('a')
    await end
    expect(queue.length).toBe(0)
  })

  test('with drain returns ready keys, also those still in process, and drops delayed ones', async () => {
    const { clock, queue } = setUp()
    queue.add('a')
    await queue.take()
    queue.add('a')
    queue.add('b')
    queue.add('later', { afterMs: 10 })
    const end = queue.shutDownWithDrain()
    expect((await queue.take())?.key).toBe('b')
    const last = queue.take()
    queue.done('b')
    queue.done('a')
    expect((await last)?.key).toBe('a')
    const none = queue.take()
    queue.done('a')
    expect(await none).toBeUndefined()
    await end
    await clock.advance(100)
    expect(queue.waitingLength).toBe(0)
    expect(clock.pendingAlarms).toBe(0)
  })

  test('of an idle queue ends at once', async () => {
    const { queue } = setUp()
    await queue.shutDownWithDrain()
    await queue.shutDown()
    expect(await queue.take()).toBeUndefined()
  })
})

test('metrics add up: depth per priority, waits, work, retries', async () => {
  const clock = new ManualClock()
  const depth = new Map<number, number>()
  const move = (priority: number, by: number) =>
    depth.set(priority, (depth.get(priority) ?? 0) + by)
  const seen = { waited: [] as number[], worked: [] as number[], retries: 0, adds: 0 }
  const metrics: QueueMetrics = {
    added: (priority) => {
      seen.adds += 1
      move(priority, 1)
    },
    retried: () => {
      seen.retries += 1
    },
    reprioritized: (from, to) => {
      move(from, -1)
      move(to, 1)
    },
    taken: (priority, waited) => {
      move(priority, -1)
      seen.waited.push(waited)
    },
    finished: (worked) => seen.worked.push(worked),
  }
  const queue = new WorkQueue({ clock, metrics })
  queue.add('a', { priority: lowPriority })
  queue.add('a')
  queue.add('b', { afterMs: 500 })
  expect(Object.fromEntries(depth)).toEqual({ '-100': 0, '0': 1 })
  await clock.advance(2000)
  await queue.take()
  await clock.advance(3000)
  expect(queue.workInProgress()).toEqual([3])
  queue.done('a')
  await queue.take()
  queue.done('b')
  expect(Object.fromEntries(depth)).toEqual({ '-100': 0, '0': 0 })
  expect(seen).toEqual({ waited: [2, 4.5], worked: [3, 0], retries: 1, adds: 2 })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { WorkQueue } from './work-queue.ts'

/** The rules of the queue in their simplest form: one list that is scanned for every operation. */
class Model {
  now = 0
  counter = 0
  items: { key: string; priority: number; order: number; at: number; ready: boolean }[] = []
  working = new Set<string>()

  add(key: string, priority: number, afterMs: number): void {
    const known = this.items.find((item) => item.key === key)
    const at = this.now + afterMs
    if (!known) {
      this.items.push({ key, priority, order: this.counter++, at, ready: afterMs <= 0 })
      return
    }
    if (priority > known.priority) {
      known.priority = priority
      known.order = this.counter++
    }
    if (known.ready) return
    known.at = Math.min(known.at, at)
    if (afterMs > 0) return
    known.ready = true
    known.order = this.counter++
  }

  pass(milliseconds: number): void {
    this.now += milliseconds
    for (const due of this.items
      .filter(({ ready, at }) => !ready && at <= this.now)
      .sort((a, b) => a.at - b.at)) {
      due.ready = true
      due.order = this.counter++
    }
  }

  take(): { key: string; priority: number } | undefined {
    const [first] = this.items
      .filter(({ ready, key }) => ready && !this.working.has(key))
      .sort((a, b) => b.priority - a.priority || a.order - b.order)
    if (!first) return undefined
    this.items = this.items.filter((item) => item !== first)
    this.working.add(first.key)
    return { key: first.key, priority: first.priority }
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')

// Distinct delays: the order of two keys that are due in the same millisecond is unspecified.
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key,
      priority: fc.constantFrom(-100, 0, 0, 5),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('delay' as const),
      key,
      priority: fc.constantFrom(-100, 0, 5),
      afterMs: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('done' as const), which: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40 }) }),
  },
)

test('behaves like the model for any sequence of operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new ManualClock()
      const queue = new WorkQueue({ clock })
      const model = new Model()
      const taken: string[] = []
      let unique = 0
      for (const action of steps) {
        switch (action.do) {
          case 'add':
            queue.add(action.key, { priority: action.priority })
            model.add(action.key, action.priority, 0)
            break
          case 'delay': {
            unique += 1 / 1024
            const afterMs = action.afterMs + unique
            queue.add(action.key, { priority: action.priority, afterMs })
            model.add(action.key, action.priority, afterMs)
            break
          }
          case 'take': {
            const expected = model.take()
            if (!expected) break
            expect(await queue.take()).toEqual(expected)
            expect(taken).not.toContain(expected.key)
            taken.push(expected.key)
            break
          }
          case 'done': {
            const [finished] = taken.splice(action.which % Math.max(taken.length, 1), 1)
            if (finished === undefined) break
            queue.done(finished)
            model.working.delete(finished)
            break
          }
          case 'pass':
            await clock.advance(action.ms)
            model.pass(action.ms)
        }
        expect(queue.length).toBe(model.items.filter(({ ready }) => ready).length)
        expect(queue.waitingLength).toBe(model.items.filter(({ ready }) => !ready).length)
        expect(clock.pendingAlarms).toBe(queue.waitingLength > 0 ? 1 : 0)
      }
    }),
    { numRuns: 300 },
  )
})

test('loses no key and never processes one twice at once, with many workers on a real clock', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key, pauseMs: fc.nat(2), afterMs: fc.nat(3) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.integer({ min: 1, max: 4 }),
      async (adds, workers) => {
        const queue = new WorkQueue()
        const running = new Set<string>()
        const wanted = new Set<string>()
        const work = async (): Promise<void> => {
          for (let taken = await queue.take(); taken; taken = await queue.take()) {
            expect(running.has(taken.key)).toBe(false)
            running.add(taken.key)
            wanted.delete(taken.key)
            await new Promise((resolve) => setImmediate(resolve))
            running.delete(taken.key)
            queue.done(taken.key)
          }
        }
        const pool = Array.from({ length: workers }, work)
        for (const { key: added, pauseMs, afterMs } of adds) {
          wanted.add(added)
          queue.add(added, { afterMs })
          if (pauseMs > 0) await new Promise((resolve) => setImmediate(resolve))
        }
        while (queue.waitingLength > 0) await new Promise((resolve) => setTimeout(resolve, 1))
        await queue.shutDownWithDrain()
        await Promise.all(pool)
        expect([...wanted]).toEqual([])
      },
    ),
    { numRuns: 50 },
  )
})

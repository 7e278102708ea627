import { type Clock, type ResourceCache, systemClock } from '@agents/controller'
import { expect, test } from 'vitest'
import { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import { readEvents } from './read-events.ts'
import { RunEvents } from './run-events.ts'
import { type AnyRun, runKinds } from './run-summary.ts'

type Handlers = Parameters<ResourceCache<AnyRun>['subscribe']>[0]

/** A clock that only moves when it is advanced. */
class HandClock implements Clock {
  #elapsed = 0
  readonly #alarms = new Set<{ readonly at: number; readonly action: () => void }>()

  now(): Date {
    return new Date(this.#elapsed)
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(ms: number, action: () => void): () => void {
    const alarm = { at: this.#elapsed + Math.max(ms, 0), action }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Millisecond by millisecond, so that readers continue in between. */
  async advance(ms: number): Promise<void> {
    for (const end = this.#elapsed + ms; this.#elapsed < end; ) {
      this.#elapsed += 1
      for (const alarm of [...this.#alarms]) {
        if (alarm.at > this.#elapsed) continue
        this.#alarms.delete(alarm)
        alarm.action()
      }
      await new Promise(setImmediate)
    }
  }
}

const facts = { username: 'reader', uid: undefined, groups: [], extra: {} }
const caller = new Caller(facts, { token: 'token' })

function setUp(
  capacity = 100,
  characters = 1_000_000,
  clock: Clock = systemClock,
  heartbeatMs = 20,
) {
  let handlers: Handlers | undefined
  const [kind] = runKinds
  const cache = {
    kind,
    subscribe: (given: Handlers) => {
      handlers = given
      return { hasSynced: () => true, remove: () => undefined }
    },
  } as unknown as ResourceCache<AnyRun>
  const events = new RunEvents([{ cache }], clock, { capacity, characters })
  const run = (name: string, namespace: string): AnyRun =>
    ({ kind: 'AgentRun', metadata: { name, namespace, uid: name } }) as AnyRun
  const add = (name: string, namespace = 'red') => handlers?.onAdd(run(name, namespace), false)
  const stop = new AbortController()
  const state = { isValid: true }
  const read = (last?: string) =>
    readEvents(
      {
        events,
        mayDo: async (_caller, { namespace }) => namespace === 'red',
        review: async () => {
          if (!state.isValid) throw new ApiError('Unauthenticated', 'revoked')
        },
        clock,
        heartbeatMs,
      },
      caller,
      { namespace: undefined, kind: undefined, objects: false, last },
      stop.signal,
    )
  return { events, add, read, stop, state }
}

async function next(stream: AsyncGenerator<string | Uint8Array, void>): Promise<string> {
  for (;;) {
    const { value = 'end', done } = await stream.next()
    if (done) return 'end'
    const text = String(value)
    if (!text.startsWith(': alive')) return text
  }
}

function names(text: string): string[] {
  return [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name = '']) => name)
}

function lastId(text: string): string {
  return [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
}

test('a reader continues where it was, without a gap or a double, and sees only what it may', async () => {
  const { add, read } = setUp()
  const first = read()
  expect(await next(first)).toContain('event: ready')
  add('one')
  add('hidden', 'blue')
  add('two')
  const seen = await next(first)
  expect(names(seen)).toEqual(['one', 'two'])
  await first.return()
  add('three')
  add('four')
  const second = read(lastId(seen))
  expect(await next(second)).toContain('event: resumed')
  expect(names(await next(second))).toEqual(['three', 'four'])
})

test('readers at the same place share what they are sent, unless one may not see all of it', async () => {
  const { add, read } = setUp()
  const streams = [read(), read()]
  for (const stream of streams) await next(stream)
  add('one')
  add('two')
  const [first, second] = await Promise.all(streams.map((stream) => stream.next()))
  expect(first?.value).toBeInstanceOf(Uint8Array)
  expect(first?.value).toBe(second?.value)
  add('three')
  add('hidden', 'blue')
  for (const stream of streams) expect(names(await next(stream))).toEqual(['three'])
})

test('a reader that is behind is sent a little at a time', async () => {
  const { events, add, read } = setUp()
  const cursor = events.cursorOf(events.end)
  for (let at = 0; at < 90; at += 1) add(`${at}-${'x'.repeat(1000)}`)
  const stream = read(cursor)
  await next(stream)
  const seen: string[] = []
  while (seen.length < 90) {
    const text = await next(stream)
    expect(text.length).toBeLessThan(20_000)
    seen.push(...names(text).map((name) => name.split('-')[0] ?? ''))
  }
  expect(seen).toEqual(Array.from({ length: 90 }, (_, at) => String(at)))
})

test.each([
  { because: 'of another process', change: () => setUp().events.cursorOf(0) },
  {
    because: 'that was changed',
    change: (own: string) => `${own[0] === 'A' ? 'B' : 'A'}${own.slice(1)}`,
  },
  { because: 'that is too long', change: (own: string) => `${own}AA` },
  { because: 'that nobody wrote', change: () => 'x' },
])('a cursor $because resets the reader', async ({ change }) => {
  const { events, add, read } = setUp()
  add('one')
  const stream = read(change(events.cursorOf(0)))
  expect(await next(stream)).toContain('event: reset')
  add('two')
  expect(names(await next(stream))).toEqual(['two'])
})

test('a cursor does not show whether anything changed that the reader may not see', async () => {
  const { events, add } = setUp()
  const before = [events.cursorOf(events.end), events.cursorOf(events.end)]
  for (let at = 0; at < 50; at += 1) add(`hidden-${at}`, 'blue')
  const after = events.cursorOf(events.end)
  expect(new Set([...before, after]).size).toBe(3)
  expect(new Set([...before, after].map(({ length }) => length)).size).toBe(1)
  expect(before.map((cursor) => events.positionOf(cursor, { objects: false }))).toEqual([0, 0])
})

test('a reader that was away too long is reset, and one that is too slow is cut', async () => {
  const { events, add, read } = setUp(3)
  const cursor = events.cursorOf(events.end)
  const slow = read()
  await next(slow)
  for (const name of ['a', 'b', 'c', 'd']) add(name)
  expect(await next(read(cursor))).toContain('event: reset')
  expect(await next(slow)).toContain('event: reset')
  expect(await next(slow)).toBe('end')
})

test('changes are forgotten when they take too much memory, however few they are', async () => {
  const { events, add, read } = setUp(100, 20_000)
  const cursor = events.cursorOf(events.end)
  const large = 'x'.repeat(3_000)
  add(large)
  add(large)
  expect(await next(read(cursor))).toContain('event: resumed')
  for (let at = 0; at < 10; at += 1) add(large)
  expect(await next(read(cursor))).toContain('event: reset')
  const late = events.cursorOf(events.end - 3)
  const stream = read(late)
  expect(await next(stream)).toContain('event: resumed')
  expect(names(await next(stream))).toEqual([large, large, large])
  // A single one that is too large is kept until the next.
  add('y'.repeat(20_000))
  expect(names(await next(stream))[0]).toHaveLength(20_000)
  expect(await next(read(late))).toContain('event: reset')
})

test('changes in a short time reach a reader together', async () => {
  const clock = new HandClock()
  const { add, read } = setUp(1000, undefined, clock, 10_000)
  const stream = read()
  await next(stream)
  const chunks: string[][] = []
  const reading = (async () => {
    while (chunks.flat().length < 200) chunks.push(names(await next(stream)))
  })()
  for (let at = 0; at < 200; at += 1) {
    add(`run-${at}`)
    await clock.advance(1)
  }
  await clock.advance(100)
  await reading
  expect(chunks.flat()).toEqual(Array.from({ length: 200 }, (_, at) => `run-${at}`))
  // Every 50 milliseconds, and the first at once.
  expect(chunks.length).toBeLessThan(7)
})

test('an idle stream shows that it is alive, and ends with its token', async () => {
  const { read, state } = setUp()
  const stream = read()
  await next(stream)
  expect((await stream.next()).value).toBe(': alive\n\n')
  state.isValid = false
  await expect(
    (async () => {
      for await (const chunk of stream) expect(chunk).toBe(': alive\n\n')
    })(),
  ).rejects.toThrow('revoked')
})

test('stopping ends a stream', async () => {
  const { read, stop } = setUp()
  const stream = read()
  await next(stream)
  const waiting = next(stream)
  stop.abort()
  expect(await waiting).toBe('end')
})

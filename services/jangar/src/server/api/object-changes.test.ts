import { type ResourceCache, systemClock } from '@agents/controller'
import { agent, budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { expect, test } from 'vitest'
import { Caller } from './access/caller.ts'
import { readEvents } from './read-events.ts'
import { RunEvents } from './run-events.ts'
import { type AnyRun, runKinds } from './run-summary.ts'

type Cache = ResourceCache<KubeObject>
type Handlers = Parameters<Cache['subscribe']>[0]

const facts = { username: 'reader', uid: undefined, groups: [], extra: {} }
const caller = new Caller(facts, { token: 'token' })

function setUp(capacity = 100) {
  const synced = new Set(['Agent'])
  const handlers = new Map<string, Handlers>()
  const objects = [agent, budget].map((declared) => ({
    cache: {
      kind: kindRef<KubeObject>(declared),
      subscribe: (given: Handlers) => {
        handlers.set(declared.kind, given)
        return { hasSynced: () => synced.has(declared.kind), remove: () => undefined }
      },
    } as unknown as Cache,
  }))
  const runCache = {
    kind: runKinds[0],
    subscribe: (given: Handlers) => {
      handlers.set('AgentRun', given)
      return { hasSynced: () => true, remove: () => undefined }
    },
  } as unknown as ResourceCache<AnyRun>
  const events = new RunEvents([{ cache: runCache }], systemClock, { capacity }, objects)
  const stop = new AbortController()
  const read = (wantsObjects: boolean, last?: string) =>
    readEvents(
      {
        events,
        mayDo: async (_caller, { namespace, resource }) =>
          namespace === 'red' && resource !== 'budgets',
        review: async () => undefined,
        clock: systemClock,
        heartbeatMs: 20,
      },
      caller,
      { namespace: undefined, kind: undefined, objects: wantsObjects, last },
      stop.signal,
    )
  const add = (kind: string, name: string, namespace = 'red', isInitial = false) =>
    handlers
      .get(kind)
      ?.onAdd(
        { metadata: { name, namespace, uid: name, labels: { a: 'secret' } } } as never,
        isInitial,
      )
  return { events, add, read, synced, stop }
}

/** What is sent until the stream is idle. */
async function sent(stream: AsyncGenerator<string | Uint8Array, void>): Promise<string> {
  let text = ''
  for (;;) {
    const { value, done } = await stream.next()
    if (done || String(value).startsWith(': alive')) return text
    text += String(value)
  }
}

test('changes of objects that the reader may list are sent by name, and no others', async () => {
  const { add, read } = setUp()
  const stream = read(true)
  await sent(stream)
  add('Agent', 'seen')
  add('Agent', 'elsewhere', 'blue')
  add('Budget', 'hidden')
  add('Agent', 'known-before', 'red', true)
  const text = await sent(stream)
  const data = /event: object\ndata: (.*)\n/.exec(text)?.[1] ?? ''
  const object = { kind: 'agents.agents.proompteng.ai', namespace: 'red', name: 'seen' }
  expect(JSON.parse(data)).toEqual({ type: 'ADDED', object: { ...object, uid: 'seen' } })
  expect(text.match(/event: /g)).toHaveLength(1)
  expect(text).not.toContain('secret')
})

test('a reader that did not ask for them gets none', async () => {
  const { add, read } = setUp()
  const stream = read(false)
  const first = await sent(stream)
  add('Agent', 'seen')
  expect(first + (await sent(stream))).not.toMatch(/object|kinds/)
})

test('a flood of other objects resets nobody who reads runs', async () => {
  const { events, add, read } = setUp(5)
  const last = events.cursorOf(events.end)
  const open = read(false)
  await sent(open)
  add('AgentRun', 'first')
  for (let at = 0; at < 50; at += 1) add('Agent', `flood-${at}`, 'blue')
  add('AgentRun', 'second')
  for (const stream of [open, read(false, last)]) {
    const text = await sent(stream)
    expect(text).not.toContain('event: reset')
    expect([...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name)).toEqual([
      ...['first', 'second'],
    ])
  }
  // Who reads the others misses some.
  expect(await sent(read(true, last))).toContain('event: reset')
})

test('who reads both gets them in their order', async () => {
  const { add, read } = setUp()
  const stream = read(true)
  await sent(stream)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const [at, name] of names.entries()) add(at % 3 === 0 ? 'AgentRun' : 'Agent', name)
  const text = await sent(stream)
  expect([...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name)).toEqual(names)
})

test('a reader of runs waits while only other objects change', async () => {
  const { events, add, read } = setUp()
  let waits = 0
  const { waiter } = events
  events.waiter = (signal) => {
    const { wait } = waiter.call(events, signal)
    return {
      wait: (...given) => {
        waits += 1
        return wait(...given)
      },
    }
  }
  const stream = read(false)
  await sent(stream)
  add('Agent', 'seen')
  waits = 0
  await sent(stream)
  expect(waits).toBeGreaterThan(0)
  expect(waits).toBeLessThan(5)
})

test('a reader learns which kinds are watched, and when there are more', async () => {
  const { read, synced } = setUp()
  const stream = read(true)
  expect(await sent(stream)).toContain('event: kinds\ndata: ["agents.agents.proompteng.ai"]\n')
  expect(await sent(stream)).toBe('')
  synced.add('Budget')
  expect(await sent(stream)).toContain('"budgets.budgets.proompteng.ai"')
})

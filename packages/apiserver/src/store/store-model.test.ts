import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '@agents/kube'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDurableStore } from './durable-store.ts'
import { openEphemeralStore } from './ephemeral-store.ts'
import type { ListResult, Store, StoreEvent } from './store.ts'
import { TooOldError } from './store-error.ts'

// The store is compared with the simplest correct model: a full copy of the state at every revision.

const historyEvents = 12
const keys = ['/g/r/a/1', '/g/r/a/2', '/g/r/ab/1', '/g/r/b/1', '/g/s/1', '/g/s/2']
const prefixes = ['/', '/g/r/', '/g/r/a/', '/g/s/', '/g/s/1', '/none/']

type State = ReadonlyMap<string, number>
interface Snapshot {
  readonly revision: number
  readonly state: State
  readonly event?: string
}
interface Model {
  readonly snapshots: Snapshot[]
  /** Revision at which the store was last opened. */
  opened: number
  readonly watches: { prefix: string; seen: string[]; expected: string[] }[]
}
interface Subject {
  store: Store
  readonly reopen: () => Promise<Store>
}

type Change = { key: string; action: 'put' | 'delete' | 'unchanged' | 'throw' }
const change = fc.record<Change>({
  key: fc.constantFrom(...keys),
  action: fc.constantFrom('put', 'put', 'put', 'delete', 'unchanged', 'throw'),
})

/** Several writes in one turn, which are decided one after the other and share a commit. */
class Write implements fc.AsyncCommand<Model, Subject> {
  readonly changes: Change[]
  constructor(changes: Change[]) {
    this.changes = changes
  }
  check = () => true
  toString = () => `write ${this.changes.map(({ action, key }) => `${action} ${key}`).join(', ')}`

  async run(model: Model, { store }: Subject): Promise<void> {
    const writes = this.changes.map(({ key, action }) => {
      const { revision, state } = newest(model)
      const before = state.get(key)
      const next = new Map(state)
      const changes = action === 'put' || (action === 'delete' && before !== undefined)
      if (changes) {
        if (action === 'put') next.set(key, revision + 1)
        else next.delete(key)
        const type = action === 'delete' ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED'
        const event = `${type} ${key} ${revision + 1}`
        model.snapshots.push({ revision: revision + 1, state: next, event })
        for (const watch of model.watches) {
          if (key.startsWith(watch.prefix)) watch.expected.push(event)
        }
      }
      return store.write(key, (current) => {
        expect(current?.revision).toBe(before)
        if (action === 'throw') throw new RangeError('refused')
        return action === 'put' ? { value: object(revision + 1) } : action
      })
    })
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes.map(({ status }) => status)).toEqual(
      this.changes.map(({ action }) => (action === 'throw' ? 'rejected' : 'fulfilled')),
    )
    expect(store.revision).toBe(newest(model).revision)
    for (const { seen, expected } of model.watches) expect(seen).toEqual(expected)
  }
}

class List implements fc.AsyncCommand<Model, Subject> {
  readonly prefix: string
  readonly back: number
  readonly after: string | undefined
  readonly limit: number
  constructor(prefix: string, back: number, after: string | undefined, limit: number) {
    this.prefix = prefix
    this.back = back
    this.after = after
    this.limit = limit
  }
  check = () => true
  toString = () => `list ${this.prefix} back ${this.back} after ${this.after} limit ${this.limit}`

  async run(model: Model, { store }: Subject): Promise<void> {
    const { after, limit, prefix } = this
    const options = after === undefined ? { limit } : { limit, after }
    const all = prefix.endsWith('/') ? prefix : '/'
    const snapshot = model.snapshots.at(-1 - this.back) ?? newest(model)
    const list = () =>
      this.back === 0 ? store.list(all, options) : store.listAt(all, snapshot.revision, options)
    if (snapshot.revision < oldest(model)) {
      expect(list).toThrow(TooOldError)
      return
    }
    const rows = [...snapshot.state]
      .filter(([key]) => key.startsWith(all) && (after === undefined || key > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const result: ListResult = list()
    expect(result.entries.map(({ key, revision }) => [key, revision])).toEqual(rows.slice(0, limit))
    expect(result.entries.map(({ value }) => value.spec)).toEqual(
      rows.slice(0, limit).map(([, n]) => ({ n })),
    )
    expect([result.revision, result.more]).toEqual([snapshot.revision, rows.length > limit])
    expect(result.remaining).toBe(rows.length > limit ? rows.length - limit : undefined)
  }
}

class OpenWatch implements fc.AsyncCommand<Model, Subject> {
  readonly prefix: string
  readonly back: number
  constructor(prefix: string, back: number) {
    this.prefix = prefix
    this.back = back
  }
  check = () => true
  toString = () => `watch ${this.prefix} back ${this.back}`

  async run(model: Model, { store }: Subject): Promise<void> {
    const from = (model.snapshots.at(-1 - this.back) ?? newest(model)).revision
    const seen: string[] = []
    const onEvent = (event: StoreEvent) => {
      expect(event.entry.value.metadata.resourceVersion).toBe(String(event.revision))
      seen.push(`${event.type} ${event.entry.key} ${event.revision}`)
    }
    if (from < oldest(model)) {
      expect(() => store.watch(this.prefix, from, onEvent)).toThrow(TooOldError)
      return
    }
    store.watch(this.prefix, from, onEvent)
    const expected = model.snapshots.flatMap(({ revision, event }) =>
      event !== undefined && revision > from && event.split(' ')[1]?.startsWith(this.prefix)
        ? [event]
        : [],
    )
    expect(seen).toEqual(expected)
    model.watches.push({ prefix: this.prefix, seen, expected })
  }
}

class Restart implements fc.AsyncCommand<Model, Subject> {
  check = () => true
  toString = () => 'restart'

  async run(model: Model, subject: Subject): Promise<void> {
    await subject.store.close()
    subject.store = await subject.reopen()
    expect(subject.store.revision).toBe(newest(model).revision)
    model.opened = newest(model).revision
    model.watches.length = 0
  }
}

const back = fc.oneof(fc.constant(0), fc.nat(20))
const common = [
  fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => new Write(changes)),
  fc
    .tuple(
      fc.constantFrom(...prefixes),
      back,
      fc.option(fc.constantFrom(...keys), { nil: undefined }),
      fc.nat(4).map((n) => n + 1),
    )
    .map((row) => new List(...row)),
  fc.tuple(fc.constantFrom(...prefixes), back).map((row) => new OpenWatch(...row)),
]

test('an ephemeral store behaves like its model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(common, { maxCommands: 60, size: 'max' }), async (commands) => {
      const store = openEphemeralStore({ historyEvents })
      const subject: Subject = { store, reopen: () => Promise.reject(new Error('never')) }
      await fc.asyncModelRun(() => ({ model: emptyModel(store), real: subject }), commands)
      await store.close()
    }),
    { numRuns: 200 },
  )
})

test('a durable store behaves like its model, including restarts', {
  timeout: 60_000,
}, async () => {
  const restart = fc.constant(new Restart())
  await fc.assert(
    fc.asyncProperty(
      fc.commands([...common, ...common, ...common, restart], { maxCommands: 60, size: 'max' }),
      async (commands) => {
        const directory = await mkdtemp(join(tmpdir(), 'store-'))
        const reopen = () => openDurableStore({ directory, historyEvents })
        const subject: Subject = { store: await reopen(), reopen }
        try {
          await fc.asyncModelRun(
            () => ({ model: emptyModel(subject.store), real: subject }),
            commands,
          )
        } finally {
          await subject.store.close()
          await rm(directory, { recursive: true })
        }
      },
    ),
    { numRuns: 6 },
  )
})

function emptyModel({ revision }: Store): Model {
  return { snapshots: [{ revision, state: new Map() }], opened: revision, watches: [] }
}

function newest(model: Model): Snapshot {
  return model.snapshots.at(-1) ?? { revision: 0, state: new Map() }
}

function oldest(model: Model): number {
  const remembered = model.snapshots.at(-1 - historyEvents)?.revision ?? 0
  return Math.max(model.opened, remembered)
}

function object(n: number): KubeObject {
  return { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'x' }, spec: { n } }
}

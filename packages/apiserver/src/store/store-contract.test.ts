import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDurableStore } from './durable-store.ts'
import { openEphemeralStore } from './ephemeral-store.ts'
import type { StoreLimits } from './revisioned-store.ts'
import type { Entry, ListResult, Store, StoreEvent, Watch } from './store.ts'
import { FutureRevisionError, StoreClosedError, TooOldError } from './store-error.ts'

const kinds: { kind: string; open(directory: string, limits?: StoreLimits): Promise<Store> }[] = [
  { kind: 'ephemeral', open: async (_directory, limits) => openEphemeralStore(limits) },
  { kind: 'durable', open: (directory, limits) => openDurableStore({ ...limits, directory }) },
]

describe.each(kinds)('a store that is $kind', ({ open }) => {
  let directory: string
  let store: Store
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'store-'))
    store = await open(directory)
  })
  afterEach(async () => {
    await store.close()
    await rm(directory, { recursive: true })
  })

  const put = (key: string, spec: unknown = {}) => store.write(key, () => ({ value: object(spec) }))
  const remove = (key: string) => store.write(key, () => 'delete')

  test('starts above revision 0, which means "any" to clients', () => {
    expect(store.revision).toBeGreaterThan(0)
    expect(store.list('/').revision).toBe(store.revision)
  })

  test('gives every write the next revision and sets it in the object', async () => {
    const before = store.revision
    const created = await put('/g/r/ns/a', { n: 1 })
    const updated = await put('/g/r/ns/a', { n: 2 })
    expect([created.type, created.revision]).toEqual(['ADDED', before + 1])
    expect([updated.type, updated.revision]).toEqual(['MODIFIED', before + 2])
    expect(store.get('/g/r/ns/a')).toMatchObject({
      key: '/g/r/ns/a',
      revision: before + 2,
      value: { metadata: { name: 'x', resourceVersion: String(before + 2) }, spec: { n: 2 } },
    })
    expect(JSON.parse(String(store.get('/g/r/ns/a')?.json))).toEqual(store.get('/g/r/ns/a')?.value)
  })

  test('does not mutate the given value', async () => {
    const value = Object.freeze({ ...object({}), metadata: Object.freeze({ name: 'x' }) })
    await store.write('/g/r/a', () => ({ value }))
    expect(value).toEqual(object({}))
  })

  test('shows a write to readers and watchers only once it is acknowledged', async () => {
    const seen: number[] = []
    store.watch('/', store.revision, (event) => seen.push(event.revision))
    const before = store.revision
    const write = put('/g/r/a')
    expect([store.get('/g/r/a'), store.list('/').entries, store.revision, seen]).toEqual([
      undefined,
      [],
      before,
      [],
    ])
    await write
    expect([store.get('/g/r/a')?.revision, seen]).toEqual([before + 1, [before + 1]])
  })

  test('decides on the newest value, durable or not, so that of many creations one wins', async () => {
    const attempts = Array.from({ length: 20 }, (_, n) =>
      store.write('/g/r/a', (current) => {
        if (current !== undefined) throw new Error('exists')
        return { value: object({ n }) }
      }),
    )
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(store.get('/g/r/a')?.value.spec).toEqual({ n: 0 })
  })

  test('counts correctly with concurrent increments', async () => {
    const increments = Array.from({ length: 50 }, () =>
      store.write('/g/r/a', (current) => ({ value: object({ n: countOf(current) + 1 }) })),
    )
    await Promise.all(increments)
    expect(countOf(store.get('/g/r/a'))).toBe(50)
  })

  test('reports an error that is based on a pending value only when that value is visible', async () => {
    const first = put('/g/r/a')
    let visible: boolean | undefined
    const second = store
      .write('/g/r/a', () => {
        throw new Error('exists')
      })
      .catch(() => {
        visible = store.get('/g/r/a') !== undefined
      })
    await Promise.all([first, second])
    expect(visible).toBe(true)
  })

  test('writes nothing when nothing changes, when decide throws, or when there is nothing to delete', async () => {
    await put('/g/r/a')
    const before = store.revision
    const unchanged = await store.write('/g/r/a', () => 'unchanged')
    const nothing = await remove('/g/r/missing')
    await expect(
      store.write('/g/r/a', () => {
        throw new RangeError('no')
      }),
    ).rejects.toThrow(RangeError)
    expect(unchanged).toMatchObject({ type: 'UNCHANGED', entry: { revision: before } })
    expect(nothing).toMatchObject({ type: 'UNCHANGED', entry: undefined })
    expect(store.revision).toBe(before)
    await expect(put('/g/r/b')).resolves.toMatchObject({ revision: before + 1 })
  })

  test('gives a deleted object the revision of its deletion, and the final value if one is given', async () => {
    await put('/g/r/a', { n: 1 })
    await put('/g/r/b', { n: 1 })
    const plain = await remove('/g/r/a')
    const final = await store.write('/g/r/b', () => ({ delete: object({ n: 2 }) }))
    expect(plain).toMatchObject({
      type: 'DELETED',
      entry: { value: { metadata: { resourceVersion: String(plain.revision) }, spec: { n: 1 } } },
      previous: { revision: plain.revision - 2 },
    })
    expect(final).toMatchObject({
      type: 'DELETED',
      entry: { revision: final.revision, value: { spec: { n: 2 } } },
      previous: { value: { spec: { n: 1 } } },
    })
    expect(store.list('/').entries).toEqual([])
  })

  test('keeps integers that a double cannot hold', async () => {
    await put('/g/r/a', { large: 9223372036854775807n })
    expect(String(store.get('/g/r/a')?.json)).toContain('9223372036854775807')
    expect(store.get('/g/r/a')?.value.spec).toEqual({ large: 9223372036854775807n })
  })

  describe('list', () => {
    const keys = ['/g/r/a-b/x', '/g/r/a/x', '/g/r/a/y', '/g/r/ab/x', '/g/rr/a/x', '/h/r/a/x']
    const cases: {
      prefix: string
      after?: string
      limit?: number
      keys: string[]
      remaining?: number
      because: string
    }[] = [
      { prefix: '/g/r/', keys: keys.slice(0, 4), because: 'the order is that of the characters' },
      {
        prefix: '/g/r/a/',
        keys: ['/g/r/a/x', '/g/r/a/y'],
        because: 'ab and a-b are other namespaces',
      },
      { prefix: '/g/r/', limit: 1, keys: ['/g/r/a-b/x'], remaining: 3, because: 'the first page' },
      {
        prefix: '/g/r/',
        after: '/g/r/a-b/x',
        limit: 2,
        keys: ['/g/r/a/x', '/g/r/a/y'],
        remaining: 1,
        because: 'a middle page',
      },
      {
        prefix: '/g/r/',
        after: '/g/r/a/y',
        limit: 1,
        keys: ['/g/r/ab/x'],
        because: 'the last page',
      },
      {
        prefix: '/g/r/',
        after: '/g/r/a/xx',
        limit: 1,
        keys: ['/g/r/a/y'],
        remaining: 1,
        because: 'after may be a deleted key',
      },
      {
        prefix: '/g/r/',
        after: '/a',
        limit: 9,
        keys: keys.slice(0, 4),
        because: 'after may come before the prefix',
      },
      { prefix: '/g/r/', after: '/z', keys: [], because: 'after may come behind the prefix' },
      { prefix: '/i/', keys: [], because: 'nothing exists' },
    ]
    test.each(cases)('$prefix after $after limit $limit: $because', async (row) => {
      for (const key of keys.toReversed()) await put(key)
      const { prefix, after, limit } = row
      const result = store.list(prefix, {
        ...(after === undefined ? {} : { after }),
        ...(limit === undefined ? {} : { limit }),
      })
      expect(keysOf(result)).toEqual(row.keys)
      expect(result.remaining).toBe(row.remaining)
      expect(result.more).toBe(row.remaining !== undefined)
    })
  })

  test('lists the past page by page while it changes', async () => {
    for (const name of ['b', 'd', 'f', 'h']) await put(`/g/r/${name}`, { old: true })
    const { revision } = store
    await remove('/g/r/b')
    await put('/g/r/d', { old: false })
    await put('/g/r/e')
    await remove('/g/r/h')
    await put('/g/r/h', { old: false })
    await put('/g/s/a')
    const first = store.listAt('/g/r/', revision, { limit: 2 })
    const second = store.listAt('/g/r/', revision, { limit: 2, after: '/g/r/d' })
    expect([keysOf(first), first.remaining, first.revision]).toEqual([
      ['/g/r/b', '/g/r/d'],
      2,
      revision,
    ])
    expect([keysOf(second), second.more]).toEqual([['/g/r/f', '/g/r/h'], false])
    expect([...first.entries, ...second.entries].map(({ value }) => value.spec)).toEqual(
      Array(4).fill({ old: true }),
    )
  })

  test('drops events beyond the limits and reports its oldest revision', async () => {
    await store.close()
    store = await open(directory, { historyEvents: 3, historyBytes: 1000 })
    const start = store.revision
    for (let n = 0; n < 3; n++) await put('/g/r/a', { n })
    expect(store.oldestRevision).toBe(start)
    await put('/g/r/a', { n: 3 })
    expect(store.oldestRevision).toBe(start + 1)
    expect(() => store.watch('/', start, () => undefined)).toThrow(TooOldError)
    expect(() => store.listAt('/', start)).toThrow(TooOldError)
    expect(store.listAt('/', start + 1).entries[0]?.value.spec).toEqual({ n: 0 })
    expect(() => store.listAt('/', store.revision + 1)).toThrow(FutureRevisionError)

    await put('/g/r/a', { big: 'x'.repeat(2000) })
    await put('/g/r/a', {})
    expect(store.oldestRevision).toBe(store.revision)
  })

  describe('watch', () => {
    test('delivers past and later events of its prefix or key in order', async () => {
      const start = store.revision
      const seen: Record<string, string[]> = {}
      const watchFrom = (prefix: string) => {
        seen[prefix] = []
        store.watch(prefix, start, ({ type, entry }) => seen[prefix]?.push(`${type} ${entry.key}`))
      }
      await put('/g/r/n/a')
      for (const prefix of ['/', '/g/r/', '/g/r/n/', '/g/r/n/a', '/g/r/m/']) watchFrom(prefix)
      await Promise.all([put('/g/r/n/a'), put('/g/r/m/a'), put('/g/s/a'), remove('/g/r/n/a')])
      const n = ['ADDED /g/r/n/a', 'MODIFIED /g/r/n/a', 'DELETED /g/r/n/a']
      const r = [...n.slice(0, 2), 'ADDED /g/r/m/a', 'DELETED /g/r/n/a']
      expect(seen).toEqual({
        '/': [...r.slice(0, 3), 'ADDED /g/s/a', 'DELETED /g/r/n/a'],
        '/g/r/': r,
        '/g/r/n/': n,
        '/g/r/n/a': n,
        '/g/r/m/': ['ADDED /g/r/m/a'],
      })
    })

    test('shows the store as it was right after each event', async () => {
      const found: (number | undefined)[] = []
      store.watch('/', store.revision, (event) => {
        found.push(store.revision - event.revision, countOf(store.get(event.entry.key)))
      })
      await Promise.all([1, 2, 3].map((n) => put('/g/r/a', { n })))
      expect(found).toEqual([0, 1, 0, 2, 0, 3])
    })

    test('can start at a future revision', async () => {
      const seen: number[] = []
      const { revision } = store
      store.watch('/', revision + 2, (event) => seen.push(event.revision))
      for (const name of ['a', 'b', 'c']) await put(`/g/r/${name}`)
      expect(seen).toEqual([revision + 3])
    })

    test('delivers nothing once closed, even by a callback of it or another', async () => {
      const start = store.revision
      const seen: string[] = []
      const record =
        (who: string, then?: (watch: Watch) => void) => (event: StoreEvent, own: Watch) => {
          seen.push(`${who} ${event.revision - start}`)
          then?.(own)
        }
      await put('/g/r/a')
      store.watch(
        '/g/',
        start,
        record('past', (own) => own.close()),
      )
      const victim: Watch[] = []
      store.watch(
        '/g/',
        store.revision,
        record('closer', () => victim[0]?.close()),
      )
      victim.push(store.watch('/g/', store.revision, record('victim')))
      store
        .watch(
          '/g/',
          store.revision,
          record('other', (own) => own.close()),
        )
        .close()
      await Promise.all([put('/g/r/b'), put('/g/r/c')])
      expect(seen).toEqual(['past 1', 'closer 2', 'closer 3'])
    })

    test('that is opened by a callback gets the current event once', async () => {
      const start = store.revision
      const inner: number[] = []
      store.watch('/g/', start, (_event, outer) => {
        outer.close()
        store.watch('/g/', start, (event) => inner.push(event.revision - start))
      })
      await Promise.all([put('/g/r/a'), put('/g/r/b')])
      expect(inner).toEqual([1, 2])
    })
  })

  test('drops parsed values beyond the limit and parses them again', async () => {
    await store.close()
    store = await open(directory, { parsedBytes: 1 })
    await put('/g/r/a', { n: 1 })
    const entry = store.get('/g/r/a')
    expect(entry?.value).not.toBe(entry?.value)
    expect(entry?.value.spec).toEqual({ n: 1 })
  })

  test('completes pending writes when closed, rejects later ones, and still reads', async () => {
    const write = put('/g/r/a')
    const closing = store.close()
    await expect(put('/g/r/b')).rejects.toThrow(StoreClosedError)
    await expect(write).resolves.toMatchObject({ type: 'ADDED' })
    await closing
    await store.close()
    expect(keysOf(store.list('/'))).toEqual(['/g/r/a'])
  })
})

function object(spec: unknown): KubeObject {
  return { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'x' }, spec }
}

function countOf(entry: Entry | undefined): number {
  return (entry?.value.spec as { n: number } | undefined)?.n ?? 0
}

function keysOf(result: ListResult): string[] {
  return result.entries.map(({ key }) => key)
}

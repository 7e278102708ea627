import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { Journal, JournalRecord } from './journal.ts'
import { RevisionedStore } from './revisioned-store.ts'
import { StorageFullError, StoreFailedError } from './store-error.ts'

describe('a journal on a full disk', () => {
  test('fails the write and those that are based on it, and nothing else', async () => {
    const { store, commits } = openStore()
    const seen: string[] = []
    store.watch('/', 1, ({ entry }) => seen.push(entry.key))
    const doomed = put(store, '/g/r/a', 1)
    const other = put(store, '/g/r/b', 1)
    await settleTurn()
    // Decided during the first commit.
    const dependent = put(store, '/g/r/a', 2)
    const unchanged = store.write('/g/r/a', () => 'unchanged')
    const refused = store.write('/g/r/a', () => {
      throw new RangeError('exists')
    })
    const unrelated = put(store, '/g/r/c', 1)
    commits[0]?.resolve(new Map([[0, new StorageFullError('full')]]))
    for (const write of [doomed, dependent, unchanged, refused]) {
      await expect(write).rejects.toThrow(StorageFullError)
    }
    await other
    expect(commits[1]?.records.map(({ key }) => key)).toEqual(['/g/r/c'])
    commits[1]?.resolve(new Map())
    await unrelated
    expect([store.get('/g/r/a'), seen]).toEqual([undefined, ['/g/r/b', '/g/r/c']])
  })

  test('does not stop the same key from being written later', async () => {
    const { store, commits } = openStore()
    const doomed = put(store, '/g/r/a', 1)
    await settleTurn()
    commits[0]?.resolve(new Map([[0, new StorageFullError('full')]]))
    await expect(doomed).rejects.toThrow(StorageFullError)
    const later = store.write('/g/r/a', (current) => {
      expect(current).toBeUndefined()
      return { value: object(2) }
    })
    await settleTurn()
    commits[1]?.resolve(new Map())
    await expect(later).resolves.toMatchObject({
      type: 'ADDED',
      entry: { value: { spec: { n: 2 } } },
    })
  })
})

describe('a journal that fails', () => {
  test('fails pending writes, rejects later ones, is reported once, and does not affect reads', async () => {
    const { store, commits, fatal, breakDown } = openStore()
    const kept = put(store, '/g/r/a', 1)
    await settleTurn()
    commits[0]?.resolve(new Map())
    await kept
    const inFlight = put(store, '/g/r/a', 2)
    await settleTurn()
    const queued = put(store, '/g/r/b', 1)
    breakDown(new Error('gone'))
    commits[1]?.reject(new Error('gone'))
    await expect(inFlight).rejects.toThrow(StoreFailedError)
    await expect(queued).rejects.toThrow(StoreFailedError)
    await expect(put(store, '/g/r/c', 1)).rejects.toThrow(StoreFailedError)
    expect(fatal).toHaveLength(1)
    expect(fatal[0]?.cause).toEqual(new Error('gone'))
    expect(store.get('/g/r/a')?.value.spec).toEqual({ n: 1 })
    await store.close()
  })

  test('is detected without a write', async () => {
    const { fatal, breakDown } = openStore()
    breakDown(new Error('gone'))
    await settleTurn()
    expect(fatal).toHaveLength(1)
  })
})

test('writes of one turn share a commit, and those of a long commit the next', async () => {
  const { store, commits } = openStore()
  const writes = ['a', 'b', 'c'].map((name) => put(store, `/g/r/${name}`, 1))
  await settleTurn()
  writes.push(put(store, '/g/r/d', 1))
  await settleTurn()
  writes.push(put(store, '/g/r/e', 1))
  await settleTurn()
  expect(commits).toHaveLength(1)
  commits[0]?.resolve(new Map())
  await settleTurn()
  commits[1]?.resolve(new Map())
  await Promise.all(writes)
  expect(commits.map(({ records }) => records.map(({ revision }) => revision))).toEqual([
    [2, 3, 4],
    [5, 6],
  ])
})

interface Commit extends PromiseWithResolvers<ReadonlyMap<number, Error>> {
  readonly records: readonly JournalRecord[]
}

function openStore() {
  const commits: Commit[] = []
  const fatal: StoreFailedError[] = []
  const broken = Promise.withResolvers<Error>()
  const journal: Journal = {
    broken: broken.promise,
    commit: (records) => {
      const commit = { records, ...Promise.withResolvers<ReadonlyMap<number, Error>>() }
      commits.push(commit)
      return commit.promise
    },
    close: () => Promise.resolve(),
  }
  const store = new RevisionedStore({
    journal,
    revision: 1,
    objects: [],
    onFatal: (error) => fatal.push(error),
  })
  return { store, commits, fatal, breakDown: broken.resolve }
}

function put(store: RevisionedStore, key: string, n: number) {
  const write = store.write(key, () => ({ value: object(n) }))
  // It may reject before the test awaits it.
  write.catch(() => undefined)
  return write
}

function object(n: number): KubeObject {
  return { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'x' }, spec: { n } }
}

function settleTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

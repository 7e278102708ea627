import { spawnSync } from 'node:child_process'
import {
  appendFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import type { KubeObject } from '@agents/kube'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DurableStoreOptions, openDurableStore } from './durable-store.ts'
import { ObjectDatabase } from './object-database.ts'
import type { Store } from './store.ts'
import { StorageFullError, StoreFailedError, StoreLockedError, TooOldError } from './store-error.ts'

const KiB = 1024
const MiB = 1024 * KiB

describe('a durable store', () => {
  let directory: string
  let stores: Store[]
  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'store-')), 'data')
    stores = []
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
    await rm(join(directory, '..'), { recursive: true })
  })

  async function start(options: Partial<DurableStoreOptions> = {}): Promise<Store> {
    const store = await openDurableStore({ directory, ...options })
    stores.push(store)
    return store
  }

  test('reopens with the same content, with its history starting at the last revision', async () => {
    const first = await start()
    await put(first, '/g/r/b', { large: 9223372036854775807n })
    await put(first, '/g/r/a', { text: 'häßlich 🙂' })
    await put(first, '/g/r/gone', {})
    await first.write('/g/r/gone', () => 'delete')
    await first.close()
    const second = await start()
    expect(second.list('/').entries.map(({ key, value }) => [key, value.spec])).toEqual([
      ['/g/r/a', { text: 'häßlich 🙂' }],
      ['/g/r/b', { large: 9223372036854775807n }],
    ])
    expect([second.revision, second.oldestRevision]).toEqual([first.revision, first.revision])
    expect(() => second.watch('/', first.revision - 1, () => undefined)).toThrow(TooOldError)
    const seen: number[] = []
    second.watch('/', first.revision, (event) => seen.push(event.revision))
    await put(second, '/g/r/c', {})
    expect(seen).toEqual([first.revision + 1])
  })

  test('is closed to other users', async () => {
    const store = await start()
    await put(store, '/g/r/a', {})
    const names = await readdir(directory)
    expect(names).toContain('objects.db-wal')
    const modes = await Promise.all(
      names.map(async (name) => (await stat(join(directory, name))).mode & 0o777),
    )
    expect(new Set(modes)).toEqual(new Set([0o600]))
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  test('cannot be opened twice, in this process or another, until it is closed', async () => {
    const store = await start()
    await expect(start()).rejects.toThrow(StoreLockedError)
    const module = new URL('./durable-store.ts', import.meta.url).href
    const script = `const { openDurableStore } = await import(${JSON.stringify(module)})
      const name = await openDurableStore({ directory: process.argv[1] }).then(() => 'opened', (error) => error.name)
      process.stdout.write(name, () => process.exit())`
    const other = spawnSync(process.execPath, ['--input-type=module', '-e', script, directory], {
      timeout: 55_000,
    })
    expect(String(other.stdout)).toBe('StoreLockedError')
    await store.close()
    await expect(start()).resolves.toBeDefined()
  })

  describe('with a log that was damaged by a crash', () => {
    const damages: { damage: string; apply(log: string): Promise<void>; lost: number }[] = [
      { damage: 'nothing', apply: () => Promise.resolve(), lost: 0 },
      {
        damage: 'garbage behind it',
        apply: (log) => appendFile(log, Buffer.alloc(5000, 0xa5)),
        lost: 0,
      },
      { damage: 'zeros behind it', apply: (log) => appendFile(log, Buffer.alloc(9000)), lost: 0 },
      { damage: 'a last page cut off', apply: (log) => shorten(log, 100), lost: 1 },
      { damage: 'a byte of its last page flipped', apply: (log) => flipByte(log, 500), lost: 1 },
    ]
    test.each(damages)('opens with $damage', async ({ apply, lost }) => {
      const store = await start()
      for (let n = 1; n <= 5; n++) await put(store, `/g/r/${n}`, { n })
      // A crash leaves the files in their current state.
      const names = ['objects.db', 'objects.db-wal']
      const files = await Promise.all(names.map((name) => readFile(join(directory, name))))
      await store.close()
      await Promise.all(names.map((name, i) => writeFile(join(directory, name), files[i] ?? '')))
      await apply(join(directory, 'objects.db-wal'))
      const reopened = await start()
      expect(reopened.list('/').entries).toHaveLength(5 - lost)
      expect(reopened.revision).toBe(store.revision - lost)
      await expect(put(reopened, '/g/r/6', {})).resolves.toMatchObject({ type: 'ADDED' })
    })
  })

  test('reports a file that is not a database', async () => {
    await (await start()).close()
    await writeFile(join(directory, 'objects.db'), 'x'.repeat(10_000))
    await expect(start()).rejects.toThrow(/objects\.db is corrupt/)
  })

  test('rejects writes on a full disk, still reads, and recovers', async () => {
    const store = await start({ maxBytes: MiB })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => put(store, `/g/r/${n}`, { data: 'x'.repeat(50 * KiB) })),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => reason.name)).toContain('StorageFullError')
    expect(store.list('/').entries).toHaveLength(40 - refused.length)
    expect(store.list('/').entries.length).toBeGreaterThan(5)
    await expect(put(store, '/g/r/more', { data: 'x'.repeat(200 * KiB) })).rejects.toThrow(
      StorageFullError,
    )
    expect(store.get('/g/r/more')).toBeUndefined()

    await Promise.all(
      store
        .list('/')
        .entries.slice(0, 5)
        .map(({ key }) => store.write(key, () => 'delete')),
    )
    await expect(put(store, '/g/r/more', { data: 'x'.repeat(200 * KiB) })).resolves.toBeDefined()
    const before = store.list('/').entries.map(({ key, json }) => [key, String(json)])
    await store.close()
    const after = (await start({ maxBytes: MiB })).list('/').entries
    expect(after.map(({ key, json }) => [key, String(json)])).toEqual(before)
  })

  test('stores the small records of a batch whose large ones do not fit', async () => {
    const store = await start({ maxBytes: MiB })
    const [small, large, dependent, other] = await Promise.allSettled([
      put(store, '/g/r/small', {}),
      put(store, '/g/r/large', { data: 'x'.repeat(2 * MiB) }),
      put(store, '/g/r/large', {}),
      put(store, '/g/r/other', {}),
    ])
    expect([small.status, large.status, dependent.status, other.status]).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(store.list('/').entries.map(({ key }) => key)).toEqual(['/g/r/other', '/g/r/small'])
  })

  test('does not grow with the number of writes to the same objects', async () => {
    const store = await start()
    const size = async () => {
      const sizes = (await readdir(directory)).map(
        async (name) => (await stat(join(directory, name))).size,
      )
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    }
    let largest = 0
    // 60 MiB of log in total, since unchanged pages are not written again.
    for (let n = 0; n < 150; n++) {
      const data = String(n % 10).repeat(200 * KiB)
      await Promise.all([put(store, '/g/r/a', { data }), put(store, '/g/r/b', { data })])
      largest = Math.max(largest, await size())
    }
    expect(largest).toBeLessThan(25 * MiB)
    await store.close()
    expect(await size()).toBeLessThan(MiB)
  })

  test('compacts its log without blocking the main thread', async () => {
    const store = await start()
    const main = join(directory, 'objects.db')
    const before = (await stat(main)).size
    const calls = await sqlCalls(async () => {
      // The log may grow to 16 MiB before it is compacted.
      for (let n = 0; (await stat(main)).size - before < 8 * MiB; n += 140) {
        await putLarge(store, n, n + 140)
      }
    })
    // Every call of SQLite blocks its thread.
    expect(calls).toBe(0)
    await store.close()
    // Otherwise the test shows nothing.
    const onThisThread = await sqlCalls(() => new ObjectDatabase(directory).close())
    expect(onThisThread).toBeGreaterThan(0)
  })

  test('fails and reports it when the disk fails', async () => {
    const filler = await start()
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        put(filler, `/g/r/${n}`, { data: 'x'.repeat(100 * KiB) }),
      ),
    )
    await filler.close()
    const fatal = Promise.withResolvers<StoreFailedError>()
    const store = await start({ onFatal: fatal.resolve })
    // Too large for the page cache.
    const file = await open(join(directory, 'objects.db'), 'r+')
    await file.write(Buffer.alloc(9 * MiB, 0xa5), 0, 9 * MiB, 0)
    await file.close()
    const writes = Array.from({ length: 100 }, (_, n) => put(store, `/g/r/${n}`, {}))
    await expect(Promise.all(writes)).rejects.toThrow(StoreFailedError)
    await expect(fatal.promise).resolves.toBeInstanceOf(StoreFailedError)
    expect(store.get('/g/r/0')).toBeDefined()
  })
})

function put(store: Store, key: string, spec: unknown) {
  const value: KubeObject = { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'x' }, spec }
  return store.write(key, () => ({ value }))
}

async function putLarge(store: Store, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 10) {
    const keys = Array.from({ length: 10 }, (_, at) => `/g/r/${n + at}`)
    await Promise.all(keys.map((key) => put(store, key, { data: 'x'.repeat(64 * KiB) })))
  }
}

/** How often this thread calls SQLite meanwhile. */
async function sqlCalls(work: () => unknown): Promise<number> {
  const spies = [
    ...(['exec', 'prepare', 'close'] as const).map((name) =>
      vi.spyOn(DatabaseSync.prototype, name),
    ),
    ...(['run', 'get', 'all', 'iterate'] as const).map((name) =>
      vi.spyOn(StatementSync.prototype, name),
    ),
  ]
  await work()
  const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  return calls
}

async function shorten(path: string, bytes: number): Promise<void> {
  await truncate(path, (await stat(path)).size - bytes)
}

async function flipByte(path: string, fromEnd: number): Promise<void> {
  const content = await readFile(path)
  const at = content.length - fromEnd
  content[at] = (content[at] ?? 0) ^ 0xff
  await writeFile(path, content)
}

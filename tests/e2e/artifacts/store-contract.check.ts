import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ArtifactStore, openStore } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../support/testbed/seeded-random.ts'
import { isFull } from '../../support/tier.ts'
import { addressOfGenerated, generatedContent, readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'

const mebibyte = 1024 * 1024
/** More than an answer of S3 lists at once: 1000. */
const many = isFull ? 10_000 : 1_100
const races = isFull ? 300 : 60

describe.each(testStores)('$name as a store of artifacts', ({ start }) => {
  let subject: TestStore
  let store: ArtifactStore

  beforeAll(async () => {
    subject = await start()
    store = openStore(subject.settings)
  })
  afterAll(() => subject?.close())

  const listed = async (namespace: string, all = store.list()) => {
    const found: string[] = []
    for await (const address of all) {
      if (address.namespace === namespace) found.push(address.digest)
    }
    return found
  }

  test.each([
    { because: 'nothing', sizeBytes: 0 },
    { because: 'one byte', sizeBytes: 1 },
    { because: 'one part', sizeBytes: 8 * mebibyte },
    { because: 'a part and a byte', sizeBytes: 8 * mebibyte + 1 },
    { because: 'many parts', sizeBytes: 50 * mebibyte + 12_345 },
  ])('keeps $because', async ({ because, sizeBytes }) => {
    const address = await addressOfGenerated('sizes', because, sizeBytes)
    expect(await store.stat(address)).toBeUndefined()
    expect(await store.get(address)).toBeUndefined()
    await store.put(address, generatedContent(because, sizeBytes))
    expect(await store.stat(address)).toEqual({ sizeBytes })
    expect(await readThrough(await store.get(address))).toBe(sizeBytes)
    expect(await listed('sizes')).toContain(address.digest)
    expect(await store.delete(address, async () => false)).toBe(true)
    expect(await store.get(address)).toBeUndefined()
  })

  test.each([
    { because: 'a small file', sizeBytes: 1000 },
    { because: 'parts', sizeBytes: 20 * mebibyte },
  ])('refuses other bytes than the digest says: $because', async ({ sizeBytes }) => {
    const address = await addressOfGenerated('refused', 'right', sizeBytes)
    const put = store.put(address, generatedContent('wrong', sizeBytes))
    await expect(put).rejects.toMatchObject({ reason: 'ContentMismatch' })
    expect(await store.stat(address)).toBeUndefined()
    expect(await listed('refused')).toEqual([])
  })

  test.each([
    { because: 'a small file', sizeBytes: 1000 },
    { because: 'parts', sizeBytes: 20 * mebibyte },
  ])('finds changed content when it is read: $because', async ({ because, sizeBytes }) => {
    const address = await addressOfGenerated('changed', because, sizeBytes)
    await store.put(address, generatedContent(because, sizeBytes))
    const path = join(subject.contentFolder, address.namespace, address.digest)
    const bytes = await readFile(path)
    bytes[700] = (bytes[700] ?? 0) ^ 1
    await writeFile(path, bytes)
    const reading = readThrough(await store.get(address))
    await expect(reading).rejects.toMatchObject({ reason: 'Corrupted' })
  })

  test('acknowledges no upload that a deletion may undo', async () => {
    const address = await addressOfGenerated('race', 'content', 1000)
    const put = () => store.put(address, generatedContent('content', 1000))
    await put()
    await store.delete(address, async () => {
      await expect(put()).rejects.toMatchObject({ reason: 'BeingDeleted' })
      await expect(store.stat(address)).rejects.toMatchObject({ reason: 'BeingDeleted' })
      return false
    })
    expect(await store.stat(address)).toBeUndefined()
    await put()
    expect(await store.stat(address)).toBeDefined()
  })

  test('loses nothing that is acknowledged while the same content is deleted', async () => {
    const address = await addressOfGenerated('races', 'content', 1000)
    const random = seededRandom()
    let references = 0
    let isOver = false
    const deleting = (async () => {
      let deletions = 0
      while (!isOver) {
        if (await store.delete(address, async () => references > 0)) deletions += 1
        await sleep(random() * 20)
      }
      return deletions
    })()
    let acknowledged = 0
    for (let round = 0; round < races; round += 1) {
      references += 1
      const isStored = await store.put(address, generatedContent('content', 1000)).then(
        () => true,
        (error) => error.reason !== 'BeingDeleted' && Promise.reject(error),
      )
      if (isStored) {
        acknowledged += 1
        expect(await readThrough(await store.get(address))).toBe(1000)
      }
      references -= 1
      await sleep(random() * 20)
    }
    isOver = true
    expect(await deleting).toBeGreaterThan(0)
    expect(acknowledged).toBeGreaterThan(0)
  })

  test('finishes a deletion that was interrupted', async () => {
    const address = await addressOfGenerated('interrupted', 'content', 1000)
    await store.put(address, generatedContent('content', 1000))
    const crash = store.delete(address, () => Promise.reject(new Error('killed')))
    await expect(crash).rejects.toThrow('killed')
    expect(await listed('interrupted', store.interrupted())).toEqual([address.digest])
    expect(await store.delete(address, async () => false)).toBe(true)
    expect(await listed('interrupted')).toEqual([])
    expect(await listed('interrupted', store.interrupted())).toEqual([])
  })

  test(`keeps ${many} files of 1 KiB`, async () => {
    const seeds = Array.from({ length: many }, (_, index) => `file ${index}`)
    const addresses = await Promise.all(seeds.map((seed) => addressOfGenerated('many', seed, 1024)))
    const entries = seeds.map((seed, index) => ({ seed, address: addresses[index] }))
    await inParallel(entries, async ({ seed, address }) => {
      if (address) await store.put(address, generatedContent(seed, 1024))
    })
    expect(new Set(await listed('many'))).toEqual(new Set(addresses.map(({ digest }) => digest)))
    await inParallel(entries, async ({ address }) => {
      expect(address && (await readThrough(await store.get(address)))).toBe(1024)
    })
  })
})

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

import { openStore } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOfGenerated, generatedContent, readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'

const mebibyte = 1024 * 1024
const sizeBytes = 2048 * mebibyte

describe.each(testStores)('$name with content of 2 GiB', ({ start }) => {
  let subject: TestStore
  beforeAll(async () => {
    subject = await start()
  })
  afterAll(() => subject?.close())

  test('passes it through in memory that does not grow', async () => {
    const address = await addressOfGenerated('large', 'content', sizeBytes)
    const store = openStore(subject.settings)
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 50)
    try {
      await store.put(address, generatedContent('content', sizeBytes))
      expect(await readThrough(await store.get(address))).toBe(sizeBytes)
    } finally {
      clearInterval(watch)
    }
    expect((most - before) / mebibyte).toBeLessThan(200)
  })
})

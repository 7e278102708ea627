import { openStore } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'
import { namespace, startUploadBed, type UploadBed } from './upload-bed.ts'

const mebibyte = 1024 * 1024
const sizeBytes = 2048 * mebibyte

describe.each(testStores)('2 GiB through the control plane to $name', ({ name, start }) => {
  let subject: TestStore
  let bed: UploadBed
  beforeAll(async () => {
    subject = await start()
    bed = await startUploadBed('embedded', subject.settings)
  })
  afterAll(async () => {
    await bed?.stop()
    await subject?.close()
  })

  test('leave its memory flat', async () => {
    expect((await bed.upload('warm-up', 20 * mebibyte)).status).toBe(200)
    const before = await bed.rss()
    let most = before
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        most = Math.max(most, await bed.rss())
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })()
    const { status, digest } = await bed.upload('large', sizeBytes)
    isDone = true
    await watching
    expect(status).toBe(200)
    const grown = Math.round((most - before) / mebibyte)
    process.stdout.write(`${name}: ${Math.round(before / mebibyte)} MiB, and ${grown} MiB more\n`)
    expect(grown).toBeLessThan(200)
    const content = await openStore(subject.settings).get({ namespace, digest })
    expect(await readThrough(content)).toBe(sizeBytes)
  })
})

import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'
import { startUploadBed, type UploadBed } from './upload-bed.ts'

const mebibyte = 1024 * 1024
const sizeBytes = 1024
const warmUp = 100
const senders = 8

/** Uploads small files with the runner's own code through a control plane of its own process. */
export function testManyUploads(count: number): void {
  describe.each(testStores)('uploads to $name', ({ name, start }) => {
    let subject: TestStore
    let bed: UploadBed
    let folder: string
    beforeAll(async () => {
      subject = await start()
      bed = await startUploadBed('embedded', subject.settings)
      folder = await mkdtemp(join(tmpdir(), 'agents-small-files-'))
    })
    afterAll(async () => {
      await bed?.stop()
      await subject?.close()
      await rm(folder, { recursive: true, force: true })
    })

    test(`${count} files of 1 KiB arrive whole, and the control plane's memory stays flat`, async () => {
      const sent = new Map<string, string>()
      const upload = bed.runnerUpload()
      const sendRange = async (from: number, to: number): Promise<void> => {
        const numbers = Array.from({ length: to - from }, (_, at) => from + at).values()
        const work = async (): Promise<void> => {
          for (const at of numbers) {
            const [artifact, digest] = await send(at)
            sent.set(artifact, digest)
          }
        }
        await Promise.all(Array.from({ length: senders }, work))
      }
      const send = async (at: number): Promise<[string, string]> => {
        const path = join(folder, `file-${at}`)
        const content = `${at}\n`.padEnd(sizeBytes, `${at}`)
        await writeFile(path, content)
        const file = await open(path)
        try {
          const what = { type: 'file', name: `file-${at}`, contentType: 'text/plain' } as const
          const artifact = await upload(file.fd, what, new AbortController().signal)
          return [artifact, createHash('sha256').update(content).digest('hex')]
        } finally {
          await file.close()
        }
      }

      await sendRange(0, warmUp)
      const before = await bed.rss()
      const during: number[] = []
      const began = performance.now()
      for (let from = warmUp; from < count; from += 1000) {
        await sendRange(from, Math.min(count, from + 1000))
        during.push(await bed.rss())
      }
      const seconds = (performance.now() - began) / 1000
      const [grown, later] = [
        growthOf([before, ...during]),
        growthOf(during.slice(during.length / 2)),
      ]
      process.stdout.write(
        `${name}: ${count} files in ${seconds.toFixed(1)} s, ${Math.round((count - warmUp) / seconds)} a second; ${Math.round(before / mebibyte)} MiB, and ${grown} MiB more, ${later} MiB of them in the second half\n`,
      )
      expect(grown).toBeLessThan(200)
      // What is kept of each upload would show here.
      expect(later).toBeLessThan(50)
      expect(sent.size).toBe(count)
      const artifacts = (await bed.artifacts()).map(({ metadata, spec }) => [
        metadata.name,
        spec?.source?.checksum,
      ])
      expect(new Map(artifacts as [string, string][])).toEqual(
        new Map([...sent].map(([artifact, digest]) => [artifact, `sha256:${digest}`])),
      )
      const store = openStore(subject.settings)
      const kept = new Set<string>()
      for await (const address of store.list()) {
        // Reading checks each byte.
        expect(await readThrough(await store.get(address))).toBe(sizeBytes)
        kept.add(address.digest)
      }
      expect(kept).toEqual(new Set(sent.values()))
    })
  })
}

/** In MiB, from the first value to the largest. */
function growthOf(values: readonly number[]): number {
  const [first = 0] = values
  return Math.round((Math.max(...values) - first) / mebibyte)
}

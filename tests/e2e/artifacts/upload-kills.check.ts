import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bestAuthority } from '../../support/testbed/authority.ts'
import { seededRandom } from '../../support/testbed/seeded-random.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'
import { namespace, startUploadBed, type UploadBed } from './upload-bed.ts'

/** In each, one of runner, control plane and store is killed. */
const rounds = isFull ? 15 : 3
const mebibyte = 1024 * 1024
const sizes = [1024, 100_000, 3 * mebibyte, 20 * mebibyte]

/** A folder with the embedded API server, in full a bucket with a real one: 30 kills together. */
const authorities = { 'a folder': 'embedded', S3: isFull ? bestAuthority : 'embedded' } as const

describe.each(testStores)('uploads to $name through the control plane', ({ name, start }) => {
  let subject: TestStore
  let bed: UploadBed
  beforeAll(async () => {
    subject = await start()
    bed = await startUploadBed(authorities[name as keyof typeof authorities], subject.settings)
  })
  afterAll(async () => {
    await bed?.stop()
    await subject?.close()
  })

  test('survive kills of runner, control plane and store in the middle', async () => {
    const random = seededRandom()
    const acknowledged = new Map<string, number>()
    const kills: Record<string, number> = { runner: 0, 'control plane': 0, store: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const runner = new AbortController()
      const uploading = sendAll(bed, `${round}`, runner.signal, acknowledged)
      const atLeast = acknowledged.size + 1 + Math.floor(random() * 4)
      await Promise.race([until(() => acknowledged.size >= atLeast), uploading])
      await sleep(random() * 150)
      const victim = ['runner', 'control plane', 'store'][round % 3] ?? ''
      if (victim === 'store' && subject.crash !== undefined) {
        await subject.crash()
        kills.store = (kills.store ?? 0) + 1
      } else if (victim !== 'runner') {
        // A folder has no process: with the control plane, the writer of its files is killed.
        await bed.killPlane()
        kills['control plane'] = (kills['control plane'] ?? 0) + 1
      } else {
        kills.runner = (kills.runner ?? 0) + 1
      }
      runner.abort()
      await uploading
    }
    expect(Object.values(kills).reduce((sum, count) => sum + count)).toBe(rounds)
    // What follows is taken as if nothing had happened.
    const after = await bed.upload('after', 3 * mebibyte)
    expect(after.status).toBe(200)
    acknowledged.set(after.digest, 3 * mebibyte)
    const store = openStore(subject.settings)
    const visible = new Map<string, number>()
    for await (const address of store.list()) {
      // Reading checks each byte.
      visible.set(address.digest, await readThrough(await store.get(address)))
    }
    expect(acknowledged.size).toBeGreaterThan(rounds)
    expect([...visible]).toEqual(expect.arrayContaining([...acknowledged]))
    const referred = (await bed.artifacts()).map(({ spec }) => spec?.source?.checksum)
    for (const [digest, sizeBytes] of acknowledged) {
      expect(await store.stat({ namespace, digest })).toEqual({ sizeBytes })
    }
    for (const digest of visible.keys()) expect(referred).toContain(`sha256:${digest}`)
  })
})

/** Uploads one after the other until it is killed, as a runner does. */
async function sendAll(
  bed: UploadBed,
  round: string,
  signal: AbortSignal,
  acknowledged: Map<string, number>,
): Promise<void> {
  for (let index = 0; !signal.aborted; index += 1) {
    const sizeBytes = sizes[index % sizes.length] ?? 0
    const { status, digest } = await bed.upload(`${round}-${index}`, sizeBytes, signal)
    if (status === 200) acknowledged.set(digest, sizeBytes)
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, type StoreSettings } from '@agents/artifact-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../support/testbed/seeded-random.ts'
import { isFull } from '../../support/tier.ts'
import { readThrough } from './generated-content.ts'
import { type TestStore, testStores } from './stores.ts'

const rounds = isFull ? 30 : 4

describe.each(testStores)('$name, with kills in the middle of uploads', ({ start }) => {
  let subject: TestStore
  beforeAll(async () => {
    subject = await start()
  })
  afterAll(() => subject?.close())

  test('shows nothing half, and has all that was acknowledged', async () => {
    const random = seededRandom()
    const acknowledged = new Map<string, number>()
    for (let round = 0; round < rounds; round += 1) {
      const isServerKilled = subject.crash !== undefined && round % 2 === 1
      const atLeast = 1 + Math.floor(random() * 6)
      await uploadUntilKilled(
        { settings: subject.settings, round, acknowledged, atLeast },
        async () => {
          await sleep(random() * 150)
          if (isServerKilled) await subject.crash?.()
        },
      )
    }
    const store = openStore(subject.settings)
    const visible: string[] = []
    for await (const address of store.list()) {
      // Reading checks each byte.
      await readThrough(await store.get(address))
      visible.push(address.digest)
    }
    expect(acknowledged.size).toBeGreaterThan(rounds)
    expect(visible).toEqual(expect.arrayContaining([...acknowledged.keys()]))
    for (const [digest, sizeBytes] of acknowledged) {
      expect(await store.stat({ namespace: 'kills', digest })).toEqual({ sizeBytes })
    }
    await store.clean(new Date(Date.now() + 1000))
  })
})

interface Upload {
  readonly settings: StoreSettings
  readonly round: number
  readonly acknowledged: Map<string, number>
  /** How many uploads are acknowledged before the kill. */
  readonly atLeast: number
}

/** Kills the uploading process when `wait` is over, which begins when enough is acknowledged. */
async function uploadUntilKilled(
  { settings, round, acknowledged, atLeast }: Upload,
  wait: () => Promise<void>,
): Promise<void> {
  const program = join(import.meta.dirname, 'uploader.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(settings), String(round)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const enough = Promise.withResolvers<void>()
  let count = 0
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    const [, digest = '', size = ''] = /^([0-9a-f]{64}) (\d+)$/.exec(line) ?? []
    if (digest === '') return
    acknowledged.set(digest, Number(size))
    count += 1
    if (count === atLeast) enough.resolve()
  })
  await Promise.race([enough.promise, exited])
  await wait()
  child.kill('SIGKILL')
  await exited
}

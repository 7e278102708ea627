import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openDurableStore } from './durable-store.ts'
import { compare, enterRun, newLedger } from './testing/crash-ledger.ts'

const kills = 10
const writer = fileURLToPath(new URL('./testing/crash-writer.ts', import.meta.url))

test('loses no acknowledged write and restores no deleted object when killed under load', {
  timeout: 120_000,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'store-'))
  const directory = join(root, 'data')
  const ledger = newLedger()
  let revision = 0
  for (let run = 0; run < kills; run++) {
    enterRun(ledger, await outputUntilKilled(directory, run))
    const store = await openDurableStore({ directory })
    const found = store
      .list('/')
      .entries.map(({ key, value }): [string, string] => [key, tokenOf(value)])
    expect(compare(ledger, new Map(found))).toEqual([])
    expect(store.revision).toBeGreaterThanOrEqual(ledger.revision)
    expect(store.revision).toBeGreaterThan(revision)
    revision = store.revision
    await store.close()
  }
  expect(ledger.acknowledged).toBeGreaterThan(kills)
  await rm(root, { recursive: true })
})

/** Kills the writer after its first write, with a different delay in each run. */
async function outputUntilKilled(directory: string, run: number): Promise<string> {
  const path = `${directory}.log`
  const file = await open(path, 'w')
  const child = spawn(process.execPath, [writer, directory, String(run)], {
    stdio: ['ignore', file.fd, 'inherit'],
  })
  const ended = once(child, 'exit')
  const hasWritten = async () => (await readFile(path, 'utf8')).includes('"acknowledged"')
  while (!(await hasWritten()) && child.exitCode === null) await sleep(10)
  await sleep(20 + ((run * 67) % 230))
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  await file.close()
  return readFile(path, 'utf8')
}

function tokenOf({ spec }: { spec?: unknown }): string {
  return (spec as { token: string }).token
}

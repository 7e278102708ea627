import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BranchWorkers } from '@agents/git'
import { createLogger } from '@agents/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BranchWriters, type WriterSettings } from './branch-writers.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-writers-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const settings: WriterSettings = {
  provider: 'team/repository',
  connection: { url: 'file:///nowhere', credentials: { kind: 'none' }, allow: { file: true } },
  branch: 'main',
  committer: { name: 'mirror', email: 'mirror@example.test' },
  signingKey: undefined,
}

test('a writer that cannot be opened any more is opened again when its settings are good', async () => {
  const writers = new BranchWriters({
    workers: new BranchWorkers(directory),
    log: createLogger({ sink: { write: () => undefined } }),
    path: '/usr/local/bin:/usr/bin:/bin',
  })
  let replaced = 0
  const writer = await writers.acquire(settings, {
    onForeignChange: () => undefined,
    onState: () => undefined,
    onReplaced: () => {
      replaced += 1
    },
  })
  await expect(
    writer.update({ ...settings, signingKey: { privateKey: 'no key' } }),
  ).rejects.toThrow()
  const before = replaced
  await writer.update(settings)
  expect(replaced).toBeGreaterThan(before)
  expect((await writer.worker()).state.pendingChanges).toBe(0)
  await writer.release()
})

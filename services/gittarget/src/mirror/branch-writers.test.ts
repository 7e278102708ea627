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

const writersOf = (): BranchWriters =>
  new BranchWriters({
    workers: new BranchWorkers(directory),
    log: createLogger({ sink: { write: () => undefined } }),
    path: '/usr/local/bin:/usr/bin:/bin',
  })

test('a branch is its first provider’s, and when nobody writes through that the next one’s', async () => {
  const writers = writersOf()
  let replaced = 0
  const listener = () => ({
    onForeignChange: () => undefined,
    onState: () => undefined,
    onReplaced: () => {
      replaced += 1
    },
  })
  const theirs = { ...settings, provider: 'other/repository' }
  const first = await writers.acquire(settings, listener())
  const second = await writers.acquire(settings, listener())
  const third = await writers.acquire(theirs, listener())
  const uid = await third.uid()
  await third.update({ ...theirs, committer: { name: 'other', email: 'other@example.test' } })
  await first.release()
  expect(await third.uid(), 'the second still writes through the first provider').toBe(uid)
  expect(replaced).toBe(0)
  await second.release()
  expect(await third.uid(), 'only the other provider is left').not.toBe(uid)
  expect(replaced, 'which has another committer').toBe(1)
  expect((await third.worker()).state.pendingChanges).toBe(0)
  await third.release()
})

test('a writer that cannot be opened any more is opened again when its settings are good', async () => {
  const writers = writersOf()
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

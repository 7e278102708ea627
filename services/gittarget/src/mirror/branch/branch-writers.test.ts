import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BranchWorkers } from '@agents/git'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BranchWriters, type WriterListener, type WriterSettings } from './branch-writers.ts'

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

function writersOf(): BranchWriters {
  return new BranchWriters({
    workers: new BranchWorkers(directory),
    log: silentLogger,
    path: '/usr/local/bin:/usr/bin:/bin',
  })
}

let replaced = 0
beforeEach(() => {
  replaced = 0
})

function listener(): WriterListener {
  return {
    onForeignChange: () => undefined,
    onState: () => undefined,
    onReplaced: () => {
      replaced += 1
    },
  }
}

test('no target writes with the credentials of another provider', async () => {
  const writers = writersOf()
  const theirs = { ...settings, provider: 'other/repository' }
  const first = await writers.acquire(settings, listener())
  const second = await writers.acquire(settings, listener())
  const third = await writers.acquire(theirs, listener())
  expect(await second.worker(), 'who writes through one provider shares a push').toBe(
    await first.worker(),
  )
  expect(await third.worker()).not.toBe(await first.worker())
  expect(await third.uid()).not.toBe(await first.uid())
  expect(third.name, 'it is the same branch').toBe(first.name)
  await third.update({ ...theirs, committer: { name: 'other', email: 'other@example.test' } })
  expect(replaced, 'a new committer is the business of those who have it').toBe(1)
  await Promise.all([first, second, third].map((writer) => writer.release()))
})

test('a writer that is acquired during the last release gets its own settings', async () => {
  const writers = writersOf()
  const first = await writers.acquire(settings, listener())
  const before = await first.worker()
  const leaving = first.release()
  const second = await writers.acquire(settings, listener())
  expect(await second.worker(), 'the other one is closed').not.toBe(before)
  await leaving
  await second.release()
})

test('concurrent updates leak no worker', async () => {
  const writers = writersOf()
  const one = await writers.acquire(settings, listener())
  const other = await writers.acquire(settings, listener())
  const next = { ...settings, committer: { name: 'next', email: 'next@example.test' } }
  await Promise.all([one.update(next), other.update(next)])
  expect(replaced, 'each is notified once').toBe(2)
  const worker = await one.worker()
  expect(await other.worker()).toBe(worker)
  await one.release()
  await other.release()
  const after = await writers.acquire(settings, listener())
  expect(await after.worker(), 'nobody holds it any more').not.toBe(worker)
  await after.release()
})

test('a writer that failed to open is opened again with valid settings', async () => {
  const writers = writersOf()
  const writer = await writers.acquire(settings, listener())
  await expect(
    writer.update({ ...settings, signingKey: { privateKey: 'no key' } }),
  ).rejects.toThrow()
  const before = replaced
  await writer.update(settings)
  expect(replaced).toBeGreaterThan(before)
  expect((await writer.worker()).state.pendingChanges).toBe(0)
  await writer.release()
})

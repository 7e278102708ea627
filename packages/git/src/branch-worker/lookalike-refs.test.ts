import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../git-process/connection.ts'
import { BareRemote } from '../testing/bare-remote.ts'
import { changeSet, testWorker } from '../testing/test-worker.ts'
import { checkWriteAccess } from './check-write-access.ts'

/** Git takes the full name of a branch for an abbreviation of these, too. */
const lookalikes = ['refs/heads/refs/heads/main', 'refs/tags/refs/heads/main']

async function setUp() {
  const remote = await BareRemote.create()
  const directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  onTestFinished(async () => {
    await remote.remove()
    await rm(directory, { recursive: true, force: true })
  })
  const connection: Connection = {
    url: remote.url,
    credentials: { kind: 'none' },
    allow: { file: true },
  }
  return { remote, directory, connection }
}

async function addLookalikes(remote: BareRemote, commit: string): Promise<void> {
  for (const ref of lookalikes) await remote.git('update-ref', ref, commit)
}

test.each([
  { exists: true, because: 'the branch exists' },
  { exists: false, because: 'the branch does not exist yet' },
])('a branch is written though refs that look alike exist: $because', async ({ exists }) => {
  const { remote, directory, connection } = await setUp()
  const other = await remote.commit(exists ? 'main' : 'other', { theirs: 'x' })
  await addLookalikes(remote, other)
  const failed = Promise.withResolvers<string>()
  const onState = () => {
    const { lastError } = worker.state
    if (lastError !== undefined) failed.resolve(lastError.message)
  }
  const { worker } = testWorker({ connection, directory: join(directory, 'worker'), onState })
  onTestFinished(() => worker.close())
  for (const text of ['one', 'two']) {
    const pushed = worker.apply(changeSet({ file: text }))
    expect(await Promise.race([pushed, failed.promise])).toMatchObject({ written: true })
  }
  expect(await remote.git('show', 'refs/heads/main:file')).toBe('two')
  for (const ref of lookalikes) expect(await remote.git('rev-parse', ref)).toBe(other)
})

test('a change of somebody else is not overwritten though refs that look alike exist', async () => {
  const { remote, directory, connection } = await setUp()
  await addLookalikes(remote, await remote.commit('main', { theirs: 'x' }))
  const { worker } = testWorker({ connection, directory: join(directory, 'worker') })
  onTestFinished(() => worker.close())
  await worker.apply(changeSet({ file: 'one' }))
  await remote.commit('main', { theirs: 'y' })
  await worker.apply(changeSet({ file: 'two' }))
  expect(await remote.files('refs/heads/main')).toEqual({ file: 'two', theirs: 'y' })
})

test('the right to write is seen though refs that look alike exist', async () => {
  const { remote, connection } = await setUp()
  const commit = await remote.commit('main', { theirs: 'x' })
  await addLookalikes(remote, commit)
  const options = { path: '/usr/local/bin:/usr/bin:/bin', timeoutMs: 20_000 }
  const { signal } = new AbortController()
  await expect(checkWriteAccess(connection, { ...options, signal })).resolves.toBeUndefined()
})

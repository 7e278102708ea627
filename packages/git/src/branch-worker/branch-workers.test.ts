import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BareRemote } from '../testing/bare-remote.ts'
import { changeSet, committer } from '../testing/test-worker.ts'
import { BranchWorkers } from './branch-workers.ts'

let remote: BareRemote
let directory: string
let workers: BranchWorkers

beforeEach(async () => {
  remote = await BareRemote.create()
  directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  workers = new BranchWorkers(directory)
})

afterEach(async () => {
  await workers.close()
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

function acquire(
  url: string,
  branch = 'main',
  onForeignChange: () => void = () => undefined,
  account = 'team',
) {
  return workers.acquire({
    account,
    connection: { url, credentials: { kind: 'none' }, allow: { file: true } },
    branch,
    committer,
    log: silentLogger,
    onForeignChange,
  })
}

describe('shared workers', { timeout: 180_000 }, () => {
  test('one writer for a branch, however its repository is spelled', () => {
    const one = acquire(remote.url)
    expect(acquire(`${remote.url}/`).worker).toBe(one.worker)
    expect(acquire(remote.url.replace(/\.git$/, '')).worker).toBe(one.worker)
    expect(acquire(remote.url, 'other').worker).not.toBe(one.worker)
  })

  test('each account has a writer of its own, and neither overwrites the other', async () => {
    const one = acquire(remote.url)
    const two = acquire(remote.url, 'main', undefined, 'other team')
    expect(two.worker).not.toBe(one.worker)
    await one.worker.apply(changeSet({ a: '1' }))
    await two.worker.apply(changeSet({ b: '1' }))
    await Promise.all([
      one.worker.apply(changeSet({ a: '2' })),
      two.worker.apply(changeSet({ b: '2' })),
    ])
    expect(await remote.files('main')).toEqual({ a: '2', b: '2' })
  })

  test('it ends with its last holder, and who comes later gets a new one', async () => {
    const one = acquire(remote.url)
    const two = acquire(remote.url)
    await one.release()
    await one.release()
    await two.worker.apply(changeSet({ a: '1' }))
    await two.release()
    await expect(two.worker.apply(changeSet({ b: '1' }))).rejects.toMatchObject({ code: 'aborted' })
    await acquire(remote.url).worker.apply(changeSet({ c: '1' }))
    expect(await remote.files('main')).toEqual({ a: '1', c: '1' })
  })

  test('every holder is notified when another writer pushed', async () => {
    const notified: string[] = []
    const one = acquire(remote.url, 'main', () => void notified.push('one'))
    acquire(remote.url, 'main', () => void notified.push('two'))
    await one.worker.apply(changeSet({ a: '1' }))
    await remote.commit('main', { b: '1' })
    await one.worker.refresh()
    expect(notified).toEqual(['one', 'two'])
  })
})

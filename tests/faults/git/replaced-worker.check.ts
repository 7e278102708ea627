import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  BranchWorker,
  BranchWorkerOptions,
} from '../../../packages/git/src/branch-worker/branch-worker.ts'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { changeSet, testWorker } from '../../../packages/git/src/testing/test-worker.ts'

let remote: BareRemote
let directory: string
let workers: BranchWorker[]

beforeEach(async () => {
  remote = await BareRemote.create()
  directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  workers = []
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

function connect(options: Partial<BranchWorkerOptions> = {}) {
  const started = testWorker({
    connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
    directory: join(directory, `worker-${workers.length}`),
    ...options,
  })
  workers.push(started.worker)
  return started
}

describe('a worker that replaces another one', { timeout: 180_000 }, () => {
  test('reports what others pushed since the previous one was closed', async () => {
    const moves: unknown[] = []
    const first = connect()
    expect(first.worker.seen, 'it has not asked yet').toBeUndefined()
    await first.worker.apply(changeSet({ ours: '1' }))
    const ours = await remote.tip('main')
    await first.worker.close()
    const { seen } = first.worker
    const onForeignChange = (move: unknown) => moves.push(move)
    const second = connect({ seen, onForeignChange })
    await second.worker.list('')
    expect(moves, 'nothing has changed').toEqual([])
    const theirs = await remote.commit('main', { theirs: '1' })
    await connect({ seen, onForeignChange }).worker.list('')
    expect(moves).toEqual([{ from: ours, to: theirs }])
  })

  test('recognizes a commit that the previous one could not confirm', async () => {
    const moves: unknown[] = []
    const theirs = await remote.commit('main', { theirs: '1' })
    const ours = await remote.commit('main', { ours: '1' }, 'pushed before the worker was closed')
    const onForeignChange = (move: unknown) => moves.push(move)
    await connect({ seen: { tip: theirs, attempted: ours }, onForeignChange }).worker.list('')
    expect(moves).toEqual([])
  })
})

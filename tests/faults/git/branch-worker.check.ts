import { chmod, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type {
  BranchWorker,
  BranchWorkerOptions,
} from '../../../packages/git/src/branch-worker/branch-worker.ts'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { HttpRemote } from '../../../packages/git/src/testing/http-remote.ts'
import { changeSet, testWorker } from '../../../packages/git/src/testing/test-worker.ts'
import { isFull } from '../../support/tier.ts'

let remote: BareRemote
let http: HttpRemote
let directory: string
let workers: BranchWorker[]

beforeEach(async () => {
  remote = await BareRemote.create()
  http = new HttpRemote(remote.path)
  await http.start()
  directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  workers = []
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await http.stop()
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

function connect(options: Partial<BranchWorkerOptions> = {}) {
  const started = testWorker({
    connection: { url: http.url, credentials: { kind: 'none' }, allow: { loopbackHttp: true } },
    directory: join(directory, `worker-${workers.length}`),
    ...options,
  })
  workers.push(started.worker)
  return started
}

function failsWith(worker: BranchWorker, code: string) {
  const pollOptions = { timeout: 60_000, interval: 20 }
  return vi.waitFor(() => expect(worker.state.lastError?.code).toBe(code), pollOptions)
}

describe('with another writer', { timeout: 180_000 }, () => {
  test('their commit survives and ours follows', async () => {
    await remote.commit('main', { theirs: '1' })
    const moves: unknown[] = []
    const { worker } = connect({ onForeignChange: (move) => moves.push(move) })
    await worker.apply(changeSet({ ours: '1' }))
    const ours = await remote.tip('main')
    const theirs = await remote.commit('main', { theirs: '2' }, 'they were faster')
    await worker.apply(changeSet({ ours: '2' }))
    expect(await remote.files('main')).toEqual({ theirs: '2', ours: '2' })
    expect(await remote.messages('main')).toEqual([
      'target: ours',
      'they were faster',
      'target: ours',
      'theirs',
    ])
    expect(moves).toEqual([{ from: ours, to: theirs }])
  })

  test('their commit survives also if it arrives between our read and our push', async () => {
    await remote.commit('main', { theirs: '1' })
    http.beforePush = async () => {
      http.beforePush = undefined
      await remote.commit('main', { theirs: '2' }, 'in between')
    }
    const { worker } = connect()
    await worker.apply(changeSet({ ours: '1' }))
    expect(await remote.messages('main')).toEqual(['target: ours', 'in between', 'theirs'])
    expect(worker.state.lastError).toBeUndefined()
  })

  test('a change that depends on the current content is computed again from theirs', async () => {
    await remote.commit('main', { file: 'first' })
    http.beforePush = async () => {
      http.beforePush = undefined
      await remote.commit('main', { file: 'second' })
    }
    const { worker } = connect()
    await worker.apply(changeSet({ file: (current) => Buffer.from(`${current} with ours`) }))
    expect(await remote.files('main')).toEqual({ file: 'second with ours' })
  })

  test('a new branch that was created meanwhile is not overwritten', async () => {
    await remote.commit('main', { base: '1' })
    http.beforePush = async () => {
      http.beforePush = undefined
      await remote.fastImport(
        'commit refs/heads/mirror\ncommitter x <x@x> 1700000000 +0000\ndata 5\nother\nM 100644 inline theirs\ndata 1\n1\n',
      )
    }
    const { worker } = connect({ branch: 'mirror' })
    await worker.apply(changeSet({ ours: '1' }))
    expect(await remote.files('mirror')).toEqual({ theirs: '1', ours: '1' })
    expect(await remote.messages('mirror')).toEqual(['target: ours', 'other'])
  })

  test('a new branch starts from the current tip of its base, even if that moved meanwhile', async () => {
    await remote.commit('main', { base: 'first', other: 'theirs' })
    const { worker } = connect({ branch: 'mirror' })
    await worker.list('')
    await remote.commit('main', { base: 'second' })
    await worker.apply(changeSet({ ours: 'ours' }))
    const files = { base: 'second', other: 'theirs', ours: 'ours' }
    expect(await remote.files('mirror')).toEqual(files)
    expect(worker.state.lastError).toBeUndefined()
  })

  test('a deleted branch is recreated from the default branch, and the caller is notified', async () => {
    await remote.commit('main', { base: '1' })
    const moves: { to: string | undefined }[] = []
    const { worker } = connect({ branch: 'mirror', onForeignChange: (move) => moves.push(move) })
    await worker.apply(changeSet({ one: '1' }))
    await remote.git('update-ref', '-d', 'refs/heads/mirror')
    await worker.apply(changeSet({ two: '1' }))
    expect(await remote.files('mirror')).toEqual({ base: '1', two: '1' })
    expect(moves.map(({ to }) => to)).toEqual([undefined])
  })

  test('a branch that was reset stays at its new tip, with our commit on top', async () => {
    const first = await remote.commit('main', { base: '1' })
    const { worker } = connect()
    await worker.apply(changeSet({ one: '1' }))
    await remote.git('update-ref', 'refs/heads/main', first)
    await worker.apply(changeSet({ two: '1' }))
    expect(await remote.files('main')).toEqual({ base: '1', two: '1' })
    expect(await remote.git('rev-parse', 'main^')).toBe(first)
  })

  test('a repository that was emptied is initialized again', async () => {
    const { worker } = connect()
    await worker.apply(changeSet({ one: '1' }))
    await remote.init()
    await worker.apply(changeSet({ two: '1' }))
    expect(await remote.files('main')).toEqual({ two: '1' })
  })

  test('refresh detects their commits without a change of ours', async () => {
    await remote.commit('main', { a: '1' })
    const moves: unknown[] = []
    const { worker } = connect({ onForeignChange: (move) => moves.push(move) })
    await worker.list('')
    await worker.refresh()
    expect(moves).toEqual([])
    await remote.commit('main', { b: '1' })
    await worker.refresh()
    expect([...(await worker.list('')).files.keys()]).toEqual(['a', 'b'])
    expect(moves).toHaveLength(1)
  })

  test('many concurrent writers of one branch all succeed', { timeout: 300_000 }, async () => {
    const many = Array.from({ length: 6 }, (_none, index) => ({
      worker: connect({
        connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
      }).worker,
      index,
    }))
    await Promise.all(
      many.map(async ({ worker, index }) => {
        for (const round of [1, 2, 3]) {
          await worker.apply(changeSet({ [`${index}/${round}`]: 'x' }, `writer-${index}`))
        }
      }),
    )
    expect(Object.keys(await remote.files('main'))).toHaveLength(18)
    expect(await remote.messages('main')).toHaveLength(18)
  })
})

describe('when the remote fails', { timeout: 180_000 }, () => {
  test('down before the first change: pending changes are pushed when it is back, without a further change', async () => {
    await http.stop()
    const { worker } = connect()
    const confirmed = worker.apply(changeSet({ a: '1' }))
    await failsWith(worker, 'unreachable')
    void worker.apply(changeSet({ a: '2', b: '1' }))
    expect(worker.state.pendingChanges).toBe(2)
    await http.start()
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '2', b: '1' })
    expect(await remote.messages('main')).toHaveLength(1)
    expect(worker.state).toMatchObject({ pendingChanges: 0, lastError: undefined })
  })

  test('down between two changes', async () => {
    const { worker } = connect()
    await worker.apply(changeSet({ a: '1' }))
    await http.stop()
    const confirmed = worker.apply(changeSet({ b: '1' }))
    await failsWith(worker, 'unreachable')
    await http.start()
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '1', b: '1' })
  })

  test('connection cut after the push was accepted: no second commit', async () => {
    const { worker } = connect()
    http.mode = 'cut-after'
    const confirmed = worker.apply(changeSet({ a: '1' }))
    await vi.waitFor(async () => expect(await remote.tip('main')).toBeDefined(), {
      timeout: 60_000,
    })
    http.mode = 'serve'
    const commit = await remote.tip('main')
    expect(await confirmed).toEqual({ commit, written: true, changed: ['a'], refused: [] })
    expect(await remote.messages('main')).toHaveLength(1)
    expect(worker.state.lastCommit).toBe(await remote.tip('main'))
  })

  test.each([
    { mode: 503, code: 'unreachable' },
    { mode: 403, code: 'auth' },
    { mode: 404, code: 'not-found' },
    { mode: 302, code: 'refused' },
  ])('an answer of $mode is $code, and clears', async ({ mode, code }) => {
    http.mode = mode
    const { worker } = connect()
    const confirmed = worker.apply(changeSet({ a: '1' }))
    await failsWith(worker, code)
    http.mode = 'serve'
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '1' })
  })

  test('hung: aborted after the timeout, without delaying another branch', async () => {
    const other = await BareRemote.create()
    http.mode = 'hang'
    const { worker } = connect({ timeouts: { networkMs: 4_000, localMs: 60_000 } })
    const hung = worker.apply(changeSet({ a: '1' }))
    const { worker: quick } = connect({
      connection: { url: other.url, credentials: { kind: 'none' }, allow: { file: true } },
    })
    await quick.apply(changeSet({ a: '1' }))
    expect(worker.state.lastPushTime).toBeUndefined()
    await failsWith(worker, 'timeout')
    http.mode = 'serve'
    await hung
    expect(await remote.files('main')).toEqual({ a: '1' })
    await other.remove()
  })

  test('the message of a hook that declines is reported, and the push is retried', async () => {
    await remote.commit('main', { a: '0' })
    await mkdir(join(remote.path, 'hooks'), { recursive: true })
    const hook = join(remote.path, 'hooks', 'pre-receive')
    await writeFile(hook, '#!/bin/sh\necho "Ask the owners." >&2\nexit 1\n')
    await chmod(hook, 0o755)
    const { worker } = connect()
    const confirmed = worker.apply(changeSet({ a: '1' }))
    await failsWith(worker, 'rejected')
    expect(worker.state.lastError?.message).toMatch(/pre-receive hook declined.*Ask the owners\./)
    await rm(hook)
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '1' })
  })

  test('a branch whose name conflicts with another branch is reported and retried', async () => {
    await remote.commit('mirror', { a: '1' })
    const { worker } = connect({ branch: 'mirror/prod' })
    const confirmed = worker.apply(changeSet({ b: '1' }))
    await failsWith(worker, 'rejected')
    await remote.git('branch', '-m', 'mirror', 'old')
    await confirmed
    expect(Object.keys(await remote.files('mirror/prod'))).toContain('b')
  })

  test('closing aborts a hung operation and rejects pending changes', async () => {
    http.mode = 'hang'
    const { worker } = connect()
    const refused = expect(worker.apply(changeSet({ a: '1' }))).rejects.toMatchObject({
      code: 'aborted',
    })
    await vi.waitFor(() => expect(http.requests).not.toHaveLength(0), { timeout: 60_000 })
    await worker.close()
    await refused
    await expect(worker.apply(changeSet({ a: '1' }))).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('the local copy', { timeout: 180_000 }, () => {
  test('may be deleted at any time', async () => {
    const { worker } = connect()
    for (const round of ['1', '2', '3']) {
      await worker.apply(changeSet({ a: round, [`only-${round}`]: round }))
      await rm(join(directory, 'worker-0'), { recursive: true, force: true })
    }
    expect(Object.keys(await remote.files('main'))).toEqual(['a', 'only-1', 'only-2', 'only-3'])
    expect(await remote.messages('main')).toHaveLength(3)
  })

  test('that a crash left behind is not trusted', async () => {
    const first = connect({ directory: join(directory, 'shared') })
    await first.worker.apply(changeSet({ a: '1' }))
    await first.worker.close()
    await mkdir(join(directory, 'shared', 'repository'), { recursive: true })
    await writeFile(join(directory, 'shared', 'repository', 'HEAD'), 'garbage')
    const { worker } = connect({ directory: join(directory, 'shared') })
    await worker.apply(changeSet({ a: '2' }))
    expect(await remote.files('main')).toEqual({ a: '2' })
  })

  test.each([
    { because: 'they are deleted', damage: (path: string) => rm(path) },
    ...(isFull
      ? [
          { because: 'they are empty', damage: (path: string) => truncate(path, 0) },
          { because: 'they are truncated', damage: (path: string) => truncate(path, 700) },
        ]
      : []),
    {
      because: 'they contain garbage',
      damage: (path: string) => writeFile(path, 'x'.repeat(9000)),
    },
  ])('is repaired when the packs of a large folder are unusable: $because', async ({ damage }) => {
    const many = Array.from(
      { length: 2_000 },
      (_, index) => [`folder/f-${index}.yaml`, '0'] as const,
    )
    const { worker } = connect()
    await worker.apply(changeSet(Object.fromEntries(many)))
    const folder = join(directory, 'worker-0', 'repository', 'objects', 'pack')
    for (const kind of ['.pack', '.idx']) {
      await worker.apply(changeSet({ [`folder/f-${kind}.yaml`]: '1' }))
      for (const name of await readdir(folder)) {
        if (name.endsWith(kind)) await damage(join(folder, name))
      }
      await worker.apply(changeSet({ 'folder/f-1.yaml': kind, 'other/f.yaml': kind }))
      await worker.apply(changeSet({ 'folder/f-2.yaml': kind }))
    }
    await remote.git('fsck', '--full', '--strict')
    const files = await remote.files('main', 'folder/f-1.yaml', 'folder/f-2.yaml', 'other')
    expect(files).toEqual({
      'folder/f-1.yaml': '.idx',
      'folder/f-2.yaml': '.idx',
      'other/f.yaml': '.idx',
    })
    expect((await worker.list('')).files.size).toBe(many.length + 3)
    expect(await remote.messages('main')).toHaveLength(7)
    expect(worker.state.lastError).toBeUndefined()
  })

  test('is recreated after many bytes were written to it, and nothing else changes', async () => {
    const { worker } = connect({ renewAfterBytes: 500 })
    for (const round of [1, 2, 3, 4, 5]) await worker.apply(changeSet({ [`f${round}`]: 'x' }))
    expect(await remote.messages('main')).toHaveLength(5)
    expect((await worker.list('')).files.size).toBe(5)
  })
})

describe('credentials', { timeout: 180_000 }, () => {
  const password = 'hunter2-correct-horse'
  const connection = (secret: string) => ({
    url: http.url,
    credentials: { kind: 'basic', username: 'mirror', password: secret } as const,
    allow: { loopbackHttp: true },
  })
  const header = (secret: string) => `Basic ${Buffer.from(`mirror:${secret}`).toString('base64')}`

  test('revoked and restored', async () => {
    http.authorization = header(password)
    const { worker } = connect({ connection: connection(password) })
    await worker.apply(changeSet({ a: '1' }))
    http.authorization = header('another')
    const confirmed = worker.apply(changeSet({ a: '2' }))
    await failsWith(worker, 'auth')
    await worker.reconnect(connection('another'))
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '2' })
  })

  test('a bearer token is sent as such', async () => {
    http.authorization = `Bearer ${password}`
    const { worker } = connect({
      connection: { ...connection(''), credentials: { kind: 'bearer', token: password } },
    })
    await worker.apply(changeSet({ a: '1' }))
    expect(await remote.files('main')).toEqual({ a: '1' })
  })

  test('a wrong password is retried only after a long backoff', async () => {
    http.authorization = header(password)
    const { worker } = connect({
      connection: connection('wrong'),
      backoff: { firstMs: 60_000, maxMs: 60_000, random: () => 0.5 },
    })
    void worker.apply(changeSet({ a: '1' })).catch(() => undefined)
    await failsWith(worker, 'auth')
    const asked = http.requests.length
    await delay(200)
    expect(http.requests.length).toBe(asked)
  })
})

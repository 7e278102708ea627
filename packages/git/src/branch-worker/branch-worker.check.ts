import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { objectId } from '../object-writer/git-object.ts'
import { BareRemote } from '../testing/bare-remote.ts'
import { changeSet, committer, testWorker } from '../testing/test-worker.ts'
import type { BranchWorker, BranchWorkerOptions } from './branch-worker.ts'
import type { KnowingChange } from './change-set.ts'
import { maxFileBytes } from './file-limits.ts'
import { inspectRemote } from './inspect-remote.ts'

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
  const { worker, log } = testWorker({
    connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
    directory: join(directory, `worker-${workers.length}`),
    ...options,
  })
  workers.push(worker)
  return { worker, log }
}

/** Whether the worker's own copy holds the contents of a file, such as `main:file`. */
async function localBlob(from: BareRemote, file: string): Promise<string> {
  const oid = await from.git('rev-parse', file)
  const copy = join(directory, 'worker-0', 'repository')
  return from.git('--git-dir', copy, 'cat-file', '-t', oid).catch(() => 'missing')
}

describe('writing', { timeout: 180_000 }, () => {
  test('an empty repository gets its first commit, by the committer, at the time that was given', async () => {
    const time = new Date('2026-01-02T03:04:05Z')
    const { worker } = connect({ clock: () => time })
    const confirmed = await worker.apply(changeSet({ 'a/b.yaml': 'one\n', 'c.yaml': 'two\n' }))
    expect(confirmed).toEqual({
      commit: await remote.tip('main'),
      written: true,
      changed: expect.arrayContaining(['a/b.yaml', 'c.yaml']),
      refused: [],
    })
    expect(await remote.files('main')).toEqual({ 'a/b.yaml': 'one', 'c.yaml': 'two' })
    expect(await remote.git('log', '--format=%an <%ae> %cn <%ce> %at %ct %P', 'main')).toBe(
      `${committer.name} <${committer.email}> ${committer.name} <${committer.email}> 1767323045 1767323045 `,
    )
    await remote.git('fsck', '--strict')
  })

  test('contents that a change knows by their name are not read, and others are', async () => {
    await remote.commit('main', { known: 'theirs', kept: 'theirs', other: 'not theirs' })
    const { worker } = connect()
    const knownOid = objectId('blob', Buffer.from('theirs'))
    const change = (fromKnown: Buffer | undefined): KnowingChange => ({
      knows: (oid) => oid === knownOid,
      fromKnown: () => fromKnown,
      from: (current) => Buffer.from(`read: ${current?.toString() ?? 'nothing'}`),
    })
    const written = Buffer.from('known')
    const { changed } = await worker.apply(
      changeSet({
        known: change(written),
        kept: change(undefined),
        other: change(written),
        missing: change(written),
      }),
    )
    expect(changed.toSorted()).toEqual(['known', 'missing', 'other'])
    expect(await remote.files('main')).toEqual({
      known: 'known',
      kept: 'theirs',
      other: 'read: not theirs',
      missing: 'read: nothing',
    })
  })

  test('replacing a file does not fetch its earlier contents', async () => {
    await remote.commit('main', { 'x/a': 'theirs', 'x/b': 'theirs too' })
    const { worker } = connect()
    await worker.apply(changeSet({ 'x/a': 'ours' }))
    await worker.apply(changeSet({ 'x/b': null, 'x/c': 'theirs' }))
    expect(await remote.files('main')).toEqual({ 'x/a': 'ours', 'x/c': 'theirs' })
    expect(await localBlob(remote, 'main~2:x/b')).toBe('missing')
    const copy = join(directory, 'worker-0', 'repository')
    const fetched = await readdir(join(copy, 'objects', 'pack'))
    expect(fetched.filter((name) => name.endsWith('.promisor'))).toHaveLength(1)
  })

  test('the commit message gets the created and deleted paths', async () => {
    await remote.commit('main', { same: 'theirs', changed: 'theirs', gone: 'theirs' })
    const { worker } = connect()
    const set = changeSet({
      same: 'theirs',
      changed: 'ours',
      gone: null,
      'new/file': 'ours',
      no: null,
    })
    await worker.apply({
      ...set,
      message: (changed, { created, deleted }) =>
        [changed, created, deleted].map((paths) => [...paths].sort().join(' ')).join(' | '),
    })
    expect(await remote.git('log', '-1', '--format=%s', 'main')).toBe(
      'changed gone new/file | new/file | gone',
    )
  })

  test('other files stay, byte for byte', async () => {
    await remote.commit('main', { 'README.md': 'theirs\r\n', 'x/old.yaml': 'old', 'x/y/z': 'deep' })
    const { worker } = connect()
    await worker.apply(changeSet({ 'x/old.yaml': null, 'x/new.yaml': 'new' }))
    expect(await remote.files('main')).toEqual({
      'README.md': 'theirs\r',
      'x/new.yaml': 'new',
      'x/y/z': 'deep',
    })
    await remote.git('fsck', '--strict')
  })

  test('what is there already makes no commit and no push', async () => {
    const theirs = await remote.commit('main', { a: 'same', b: 'other' })
    const { worker } = connect()
    const confirmed = await worker.apply(changeSet({ a: 'same', gone: null }))
    expect(confirmed).toEqual({ commit: theirs, written: false, changed: [], refused: [] })
    expect(worker.state).toMatchObject({ lastCommit: undefined, pendingChanges: 0 })
  })

  test('a branch that is missing starts from the default branch', async () => {
    const base = await remote.commit('main', { README: 'theirs' })
    const { worker } = connect({ branch: 'mirror/prod' })
    await worker.apply(changeSet({ a: '1' }))
    expect(await remote.files('mirror/prod')).toEqual({ README: 'theirs', a: '1' })
    expect(await remote.git('rev-parse', 'mirror/prod^')).toBe(base)
    expect(await remote.tip('main')).toBe(base)
  })

  test('or from nothing, when asked', async () => {
    await remote.commit('main', { README: 'theirs' })
    const { worker } = connect({ branch: 'mirror', newBranch: 'nothing' })
    await worker.apply(changeSet({ a: '1' }))
    expect(await remote.files('mirror')).toEqual({ a: '1' })
  })

  test('the last file of a folder takes the folder with it, and the last of all leaves an empty tree', async () => {
    await remote.commit('main', { 'a/b/c': '1' })
    const { worker } = connect()
    await worker.apply(changeSet({ 'a/b/c': null }))
    expect(await remote.git('ls-tree', 'main')).toBe('')
    await remote.git('fsck', '--strict')
  })

  test('sets that wait share a push: one commit for each owner, the last change of a path wins', async () => {
    const { worker } = connect()
    const all = [
      worker.apply(changeSet({ 'one/a': '1', 'one/b': '1' }, 'one')),
      worker.apply(changeSet({ 'two/a': '1' }, 'two')),
      worker.apply(changeSet({ 'one/a': '2' }, 'one')),
    ]
    expect(worker.state.pendingChanges).toBe(3)
    const commits = await Promise.all(all)
    expect(new Set(commits.map(({ commit }) => commit)).size).toBe(1)
    expect(await remote.files('main')).toEqual({ 'one/a': '2', 'one/b': '1', 'two/a': '1' })
    expect(await remote.messages('main')).toEqual(['two: two/a', 'one: one/a one/b'])
  })

  test('a change may be made of what the branch holds', async () => {
    await remote.commit('main', { a: 'theirs' })
    const { worker } = connect()
    const seen: (string | undefined)[] = []
    const edit = (current: Buffer | undefined) => {
      seen.push(current?.toString())
      return Buffer.from(`${current ?? 'none'} and ours`)
    }
    await worker.apply(changeSet({ a: edit, b: edit }))
    expect(seen).toEqual(['theirs', undefined])
    expect(await remote.files('main')).toEqual({ a: 'theirs and ours', b: 'none and ours' })
  })

  test.each([
    { because: 'a path that leads out', path: '../x' },
    { because: 'a path into .git', path: 'a/.GIT/config' },
    { because: 'a path with a control character', path: 'a/b\nc' },
    { because: 'an absolute path', path: '/etc/passwd' },
    { because: 'a file below a file', path: 'file/x' },
    { because: 'a file in place of a folder', path: 'folder' },
    { because: 'a file in place of a link', path: 'link' },
    { because: 'a file below a link', path: 'link/x' },
  ])('is refused alone: $because', async ({ path }) => {
    await remote.commit('main', { file: '1', 'folder/x': '1' })
    await remote.fastImport(
      'commit refs/heads/main\ncommitter x <x@x> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\nM 120000 inline link\ndata 4\nfile\n',
    )
    const { worker } = connect()
    const confirmed = await worker.apply(changeSet({ [path]: 'no', fine: 'yes' }))
    expect(confirmed.refused).toEqual([{ path, because: expect.any(String) }])
    expect(await remote.files('main')).toEqual({
      file: '1',
      'folder/x': '1',
      link: 'file',
      fine: 'yes',
    })
  })

  test('a file that is too large is neither read nor changed, and the other changes are made', async () => {
    const large = 'x'.repeat(maxFileBytes + 1)
    const limit = 'y'.repeat(maxFileBytes)
    await remote.commit('main', { large, kept: large, limit })
    const before = await remote.git('ls-tree', 'main', 'large', 'kept')
    const { worker } = connect()
    const seen: (number | undefined)[] = []
    const from = (current: Buffer | undefined): Buffer => {
      seen.push(current?.length)
      return Buffer.from('ours')
    }
    const kept = { knows: () => false, fromKnown: () => undefined, from, acceptsLarge: () => true }
    const { changed, refused } = await worker.apply(
      changeSet({ large: from, kept, limit: from, ours: from }),
    )
    expect(seen).toEqual([maxFileBytes, undefined])
    expect(changed).toEqual(['limit', 'ours'])
    const because = 'a file of more than 4 MiB exists at this path'
    expect(refused).toEqual([{ path: 'large', because }])
    expect(await remote.git('ls-tree', 'main', 'large', 'kept')).toBe(before)
  })

  test.each([
    { because: 'a folder is there', path: 'folder' },
    { because: 'a link is there', path: 'link' },
    { because: 'a file is where its folder was', path: 'file/x' },
    { because: 'nothing is there', path: 'nothing' },
  ])('what shall be gone is: $because', async ({ path }) => {
    await remote.commit('main', { file: '1', 'folder/x': '1' })
    await remote.fastImport(
      'commit refs/heads/main\ncommitter x <x@x> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\nM 120000 inline link\ndata 4\nfile\n',
    )
    const { worker } = connect()
    const confirmed = await worker.apply(changeSet({ [path]: null }))
    expect(confirmed).toMatchObject({ written: false, refused: [] })
  })
})

describe('reading', { timeout: 180_000 }, () => {
  test('a folder, its contents by need', async () => {
    const commit = await remote.commit('main', { 'a/x.yaml': 'ex', 'a/b/y.yaml': 'why', z: 'zed' })
    const { worker } = connect()
    const folder = await worker.list('a')
    expect(folder.commit).toBe(commit)
    expect([...folder.files.keys()].sort()).toEqual(['a/b/y.yaml', 'a/x.yaml'])
    const oids = [...folder.files.values()].map(({ oid }) => oid)
    const contents = await worker.read(oids)
    expect(oids.map((oid) => contents.get(oid)?.toString()).sort()).toEqual(['ex', 'why'])
    expect((await worker.list('.')).files.size).toBe(3)
    expect((await worker.list('nowhere')).files.size).toBe(0)
  })

  test('what is not asked for stays on the server, also when we write beside it', async () => {
    const large = 'x'.repeat(100_000)
    await remote.commit('main', { large, small: 'y' })
    const { worker } = connect()
    await worker.list('')
    await worker.apply(changeSet({ ours: '1' }))
    expect(await localBlob(remote, 'main:large')).toBe('missing')
    const { files } = await worker.list('')
    const oid = files.get('large')?.oid ?? ''
    expect((await worker.read([oid])).get(oid)?.toString()).toBe(large)
    expect(await localBlob(remote, 'main:large')).toBe('blob')
    expect(await localBlob(remote, 'main:small')).toBe('missing')
  })

  test('a server that cannot leave contents out sends them, and all works the same', async () => {
    await remote.git('config', 'uploadpack.allowFilter', 'false')
    await remote.commit('main', { a: 'theirs' })
    const { worker } = connect()
    await worker.apply(changeSet({ a: (current) => Buffer.from(`${current} and ours`) }))
    expect(await remote.files('main')).toEqual({ a: 'theirs and ours' })
  })

  test('sizes of files are known without reading them, also of those on the server', async () => {
    await remote.commit('main', { large: 'x'.repeat(100_000), small: 'y', 'a/same': 'y' })
    const { worker } = connect()
    const { files } = await worker.list('')
    const oids = [...new Set([...files.values()].map(({ oid }) => oid))]
    const sizes = await worker.sizes(oids)
    expect(sizes.size).toBe(2)
    expect(sizes.get(files.get('large')?.oid ?? '')).toBe(100_000)
    expect(sizes.get(files.get('small')?.oid ?? '')).toBe(1)
    expect((await worker.sizes([])).size).toBe(0)
  })

  test('a folder that does not fit into memory is refused, and other folders can be read', async () => {
    const names = Array.from({ length: 9000 }, (_, index) => `${index}${'n'.repeat(4000)}`)
    await remote.commit('main', Object.fromEntries(names.map((name) => [`huge/${name}`, 'x'])))
    const { worker } = connect()
    await expect(worker.list('huge')).rejects.toThrow('a tree of more than 32 MiB')
    expect((await worker.list('beside')).files.size).toBe(0)
    await worker.apply(changeSet({ 'beside/ours': '1' }))
    expect(await remote.git('show', 'main:beside/ours')).toBe('1')
  })

  test('a remote is inspected without a worker', async () => {
    const options = { path: '/usr/local/bin:/usr/bin:/bin', signal: AbortSignal.timeout(60_000) }
    const connection = {
      url: remote.url,
      credentials: { kind: 'none' } as const,
      allow: { file: true },
    }
    expect(await inspectRemote(connection, options)).toEqual({ defaultBranch: undefined })
    await remote.commit('main', { a: '1' })
    expect(await inspectRemote(connection, options)).toEqual({ defaultBranch: 'main' })
    await remote.remove()
    await expect(inspectRemote(connection, options)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('an empty repository holds nothing', async () => {
    const { worker } = connect()
    expect(await worker.list('')).toEqual({ commit: undefined, files: new Map() })
  })

  test('our own commits are there without asking the server', async () => {
    const { worker } = connect()
    const { commit } = await worker.apply(changeSet({ 'a/x': '1' }))
    await remote.remove()
    const folder = await worker.list('a')
    expect(folder.commit).toBe(commit)
    expect([...folder.files.keys()]).toEqual(['a/x'])
  })
})

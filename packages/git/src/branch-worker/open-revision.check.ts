import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { BareRemote } from '../testing/bare-remote.ts'
import { HttpRemote } from '../testing/http-remote.ts'
import { openRevision, revisionBeforeDeletion } from './open-revision.ts'

let remote: BareRemote
let scratch: string
const commits: string[] = []

beforeAll(async () => {
  remote = await BareRemote.create()
  scratch = await mkdtemp(join(tmpdir(), 'agents-revision-'))
  for (const value of ['one', 'two', 'three']) {
    commits.push(await remote.commit('main', { 'folder/a.yaml': value, 'other/b.yaml': value }))
  }
})
afterAll(async () => {
  await remote.remove()
  await rm(scratch, { recursive: true, force: true })
})

let used = 0
function place(branch: string, url = remote.url) {
  used += 1
  return {
    connection: {
      url,
      credentials: { kind: 'none' },
      allow: { file: true, loopbackHttp: true },
    } as const,
    branch,
    directory: join(scratch, String(used)),
    path: '/usr/local/bin:/usr/bin:/bin',
    signal: new AbortController().signal,
  }
}

function open(revision?: string, branch = 'main', url = remote.url) {
  return openRevision({ ...place(branch, url), revision })
}

async function contentAt(revision?: string, url = remote.url): Promise<[string, string]> {
  const reader = await open(revision, 'main', url)
  try {
    const files = await reader.list('folder')
    expect([...files.keys()]).toEqual(['folder/a.yaml'])
    const oid = files.get('folder/a.yaml')?.oid ?? ''
    const text = (await reader.read([oid], 100)).get(oid)?.toString('utf8') ?? ''
    return [reader.commit, text]
  } finally {
    await reader.close()
  }
}

describe('a revision', () => {
  test.each([
    { revision: undefined, at: 2, value: 'three' },
    { revision: 'HEAD', at: 2, value: 'three' },
    { revision: 'HEAD~1', at: 1, value: 'two' },
    { revision: 'main^^', at: 0, value: 'one' },
    { revision: '@~2', at: 0, value: 'one' },
  ])('$revision is read with its content', async ({ revision, at, value }) => {
    expect(await contentAt(revision)).toEqual([commits[at], value])
  })

  test('by its id, also abbreviated, is read with its content', async () => {
    expect(await contentAt(commits[1])).toEqual([commits[1], 'two'])
    expect(await contentAt(commits[0]?.slice(0, 12).toUpperCase())).toEqual([commits[0], 'one'])
    expect(await contentAt(`${commits[2]?.slice(0, 12)}^~1`)).toEqual([commits[0], 'one'])
  })

  test('is read from a server that serves refs alone', async () => {
    const server = new HttpRemote(remote.path)
    server.isOld = true
    await server.start()
    onTestFinished(() => server.stop())
    expect(await contentAt(commits[0], server.url)).toEqual([commits[0], 'one'])
  })

  test('of another branch is refused, although the server has it', async () => {
    const foreign = await remote.commit('proposal', { 'folder/a.yaml': 'evil' })
    await expect(open(foreign)).rejects.toMatchObject({
      code: 'not-found',
      message: `revision ${foreign} is not a commit of branch main`,
    })
  })

  test.each([
    { revision: 'HEAD~3', says: 'branch main has 3 commits' },
    { revision: '0123456789abcdef', says: 'is not a commit of branch main' },
    { revision: 'abcd', says: 'too short' },
    { revision: '--upload-pack=touch /tmp/x', says: 'is not a revision' },
    { revision: 'HEAD@{1}', says: 'is not a revision' },
    { revision: ':/message', says: 'is not a revision' },
  ])('$revision is refused', async ({ revision, says }) => {
    await expect(open(revision)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(says),
    })
  })

  test('of a missing branch is refused', async () => {
    for (const revision of [undefined, 'HEAD']) {
      await expect(open(revision, 'missing')).rejects.toMatchObject({
        code: 'not-found',
        message: 'branch missing does not exist in the repository',
      })
    }
  })
})

test('the commit before a deletion is found, and the newest of several deletions', async () => {
  const remove = async (path: string): Promise<void> =>
    remote.fastImport(
      `commit refs/heads/gone\ncommitter a <a@b.test> 1700000000 +0000\ndata 0\nfrom refs/heads/gone^0\nD ${path}\n\n`,
    )
  await remote.commit('gone', { 'c/team/core/configmaps/a.yaml': '1', 'c/b.yaml': '1' })
  await remove('c/team/core/configmaps/a.yaml')
  const last = await remote.commit('gone', { 'c/team/core/configmaps/a.yaml': '2' })
  await remove('c/team/core/configmaps/a.yaml')
  await remote.commit('gone', { 'c/b.yaml': '2' })
  const before = (...paths: string[]) => revisionBeforeDeletion(paths, place('gone'))
  expect(await before('c/*/core/configmaps/a.yaml')).toBe(last)
  expect(await before('c/*/core/secrets/a.yaml', 'c/*/core/configmaps/a.yaml')).toBe(last)
  expect(await before('c/*/a.yaml')).toBeUndefined()
  expect(await before('c/b.yaml')).toBeUndefined()
})

test('a file that is too large is left out', async () => {
  await remote.commit('large', { 'small.yaml': 'x', 'large.yaml': 'x'.repeat(101) })
  const reader = await open(undefined, 'large')
  const files = await reader.list('')
  const oids = [...files.values()].map(({ oid }) => oid)
  const found = await reader.read(oids, 100)
  expect([...found.keys()]).toEqual([files.get('small.yaml')?.oid])
  await reader.close()
})

test('a folder that contains itself many times over is refused', async () => {
  let tree = await remote.git('hash-object', '-t', 'tree', '-w', '/dev/null')
  for (let depth = 0; depth < 7; depth += 1) {
    const names = Array.from({ length: 10 }, (_, index) => `d${index}`)
    // fast-import copies a tree by its id, at any number of paths.
    const lines = names.map((name) => `M 040000 ${tree} ${name}\n`).join('')
    const blob = depth === 0 ? 'M 100644 inline f\ndata 1\nx\n' : ''
    await remote.fastImport(
      `commit refs/heads/bomb\ncommitter a <a@b.test> 1700000000 +0000\ndata 0\ndeleteall\n${lines}${blob}\n`,
    )
    tree = await remote.git('rev-parse', 'bomb^{tree}')
  }
  const reader = await open(undefined, 'bomb')
  await expect(reader.list('')).rejects.toMatchObject({ code: 'refused' })
  await reader.close()
})

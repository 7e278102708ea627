import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { objectId } from '../../../packages/git/src/object-writer/git-object.ts'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { changeSet, testWorker } from '../../../packages/git/src/testing/test-worker.ts'

const fileCount = 3_000
const pushes = 400
const owners = ['first', 'second', 'third']

let remote: BareRemote
let directory: string

beforeEach(async () => {
  remote = await BareRemote.create()
  // Garbage collection would remove the objects to be checked.
  await remote.git('config', 'receive.autogc', 'false')
  directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
})

afterEach(async () => {
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

function pathOf(index: number): string {
  return `folder/config-${index}.yaml`
}

/** A seeded generator, so that each run has the same numbers. */
function numbers(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

test('thousands of changes to a large folder: git fsck passes on both sides, and the copy stays small', {
  timeout: 1_800_000,
}, async () => {
  const { worker } = testWorker({
    connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
    directory: join(directory, 'worker'),
    renewAfterBytes: 8 * 1024 * 1024,
  })
  const random = numbers(7)
  const expected = new Map<string, string>()
  for (let index = 0; index < fileCount; index += 1) expected.set(pathOf(index), `0 of ${index}\n`)
  await worker.apply(changeSet(Object.fromEntries(expected)))
  let mostPacks = 0
  for (let push = 1; push <= pushes; push += 1) {
    // Owners write different files, so that the order of their commits does not matter.
    const sets = owners.map((owner, turn) => {
      const changes = new Map<string, string | null>()
      for (let count = 1 + random(4); count > 0; count -= 1) {
        const path = pathOf(random((fileCount + 300) / owners.length) * owners.length + turn)
        changes.set(path, random(4) === 0 ? null : `${push} by ${owner}\n`)
      }
      for (const [path, text] of changes) {
        if (text === null) expected.delete(path)
        else expected.set(path, text)
      }
      return worker.apply(changeSet(Object.fromEntries(changes), owner))
    })
    await Promise.all(sets)
    if (push % 80 === 0) {
      const theirs = { 'folder/theirs.yaml': `${push}\n`, 'theirs/file': `${push}\n` }
      await remote.commit('main', theirs)
      for (const [path, text] of Object.entries(theirs)) expected.set(path, text)
    }
    const packs = await readdir(join(directory, 'worker/repository/objects/pack')).catch(() => [])
    mostPacks = Math.max(mostPacks, packs.filter((name) => name.endsWith('.pack')).length)
  }
  const listed = await remote.git('ls-tree', '-r', 'main')
  const found = new Map(
    listed
      .split('\n')
      .map((line) => line.slice('100644 blob '.length).split('\t').reverse() as [string, string]),
  )
  const wanted = [...expected].map(
    ([path, text]) => [path, objectId('blob', Buffer.from(text))] as const,
  )
  expect(found).toEqual(new Map(wanted))
  await remote.git('fsck', '--full', '--strict')
  const copy = ['--git-dir', join(directory, 'worker/repository')]
  const partial = ['-c', 'remote.origin.promisor=true']
  await remote.git(...copy, ...partial, 'fsck', '--full', '--strict', '--no-dangling')
  expect(mostPacks).toBeLessThan(40)
  expect(worker.state.lastError).toBeUndefined()
  await worker.close()
})

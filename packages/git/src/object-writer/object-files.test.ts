import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GitObject, gitObject } from './git-object.ts'
import { ObjectFiles } from './object-files.ts'

let repository: string
function git(args: readonly string[], input = ''): Buffer {
  return execFileSync('git', ['--git-dir', repository, ...args], {
    input,
    stdio: 'pipe',
    maxBuffer: 2 ** 26,
  })
}

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'agents-object-files-'))
  execFileSync('git', ['init', '-q', '--bare', '--template=', repository])
})
afterAll(() => rm(repository, { recursive: true, force: true }))

function blobs(name: string, sizes: readonly number[]): GitObject[] {
  return sizes.map((size, index) => gitObject('blob', Buffer.alloc(size, `${name} ${index}\n`)))
}

function readByGit(objects: readonly GitObject[]): Buffer {
  return git(['cat-file', '--batch'], objects.map(({ oid }) => `${oid}\n`).join(''))
}

function asGitTells(objects: readonly GitObject[]): Buffer {
  return Buffer.concat(
    objects.flatMap(({ oid, type, data }) => [
      Buffer.from(`${oid} ${type} ${data.length}\n`),
      data,
      Buffer.from('\n'),
    ]),
  )
}

describe('what is written without git', () => {
  test.each([
    { because: 'nothing is in it', sizes: [0] },
    { because: 'sizes need one, two, three and four bytes', sizes: [15, 16, 2048, 300_000] },
    {
      because: 'it takes several pieces',
      sizes: Array.from({ length: 400 }, (_, index) => index * 13),
    },
  ])('is read by git where $because', async ({ sizes, because }) => {
    const files = new ObjectFiles(join(repository, 'objects'))
    const loose = blobs(`loose ${because}`, sizes)
    const packed = blobs(`packed ${because}`, sizes)
    await files.writeLoose(loose)
    await files.writePack(packed)
    const all = [...loose, ...packed]
    expect(readByGit(all).equals(asGitTells(all))).toBe(true)
  })

  test('is what git itself would check', async () => {
    const files = new ObjectFiles(join(repository, 'objects'))
    const [first, second, third] = blobs('checked', [10, 5000, 20])
    if (!first || !second || !third) throw new Error('three were made')
    await files.writeLoose([first])
    await files.writePack([second, third])
    expect(() => git(['fsck', '--full', '--strict', '--no-dangling'])).not.toThrow()
    const indexes = git(['rev-parse', '--git-path', 'objects/pack']).toString().trim()
    const packs = execFileSync('find', [indexes, '-name', '*.idx']).toString().trim().split('\n')
    expect(() => git(['verify-pack', ...packs])).not.toThrow()
  })

  test('may be there already, and stays', async () => {
    const files = new ObjectFiles(join(repository, 'objects'))
    const same = blobs('twice', [7, 900])
    for (let time = 0; time < 2; time += 1) {
      await files.writeLoose(same)
      await files.writePack(same)
    }
    expect(readByGit(same).equals(asGitTells(same))).toBe(true)
  })
})

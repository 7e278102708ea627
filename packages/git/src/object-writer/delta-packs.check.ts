import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGit } from '../git-process/git.ts'
import { applyChanges } from './apply-changes.ts'
import { emptyTree, gitObject } from './git-object.ts'
import { NewObjects } from './new-objects.ts'
import { ObjectStore } from './object-store.ts'

const fileCount = 2_000
const blobs = ['one', 'two', 'three'].map((text) => gitObject('blob', Buffer.from(text)))

let repository: string
let store: ObjectStore

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
}

function git(args: readonly string[], input = ''): Buffer {
  return execFileSync('git', args, {
    input,
    stdio: 'pipe',
    maxBuffer: 2 ** 26,
    env: { ...env, GIT_DIR: repository },
  })
}

beforeEach(async () => {
  repository = await mkdtemp(join(tmpdir(), 'agents-delta-packs-'))
  git(['init', '-q', '--bare', '--template=', repository])
  store = openStore()
})

afterEach(async () => {
  store.close()
  await rm(repository, { recursive: true, force: true })
})

function openStore() {
  const bound = createGit({ env: { ...env, GIT_DIR: repository }, cwd: repository })
  return new ObjectStore(bound, repository, 60_000)
}

type Files = ReadonlyMap<string, string | null>

/** Writes what changed on top of a tree, with a commit on top of another, as one push would. */
async function commit(tree: string, parent: string | undefined, steps: readonly Files[]) {
  const objects = new NewObjects(store)
  for (const text of blobs) await objects.addBlob(text)
  const reader = { readTree: async (oid: string) => objects.tree(oid) ?? store.readTree(oid) }
  let head = { tree, commit: parent }
  for (const files of steps) {
    const applied = await applyChanges(reader, head.tree, files, objects)
    const line = head.commit === undefined ? '' : `parent ${head.commit}\n`
    const who = 'mirror <mirror@example.test> 1700000000 +0000'
    const text = `tree ${applied.tree}\n${line}author ${who}\ncommitter ${who}\n\nx\n`
    head = { tree: applied.tree, commit: objects.addCommit(Buffer.from(text)) }
  }
  await objects.flush()
  return { tree: head.tree, commit: head.commit ?? '' }
}

function nameOf(folder: string, index: number): string {
  return `${folder}/config-${index}.yaml`
}

function manyFiles(folder: string): Files {
  return new Map(
    Array.from({ length: fileCount }, (_, index) => [nameOf(folder, index), oidOf(index)]),
  )
}

function oidOf(text: number): string {
  return blobs[text % blobs.length]?.oid ?? ''
}

async function deltaPacks(): Promise<string[]> {
  const folder = join(repository, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.pack'))
}

/** Looks at a commit as at the tip of a copy without history, which is what we have of a branch. */
async function expectFaultless(tip: string): Promise<void> {
  await writeFile(join(repository, 'shallow'), `${tip}\n`)
  git(['update-ref', 'refs/heads/main', tip])
  expect(() => git(['fsck', '--full', '--strict', '--no-dangling'])).not.toThrow()
}

/** What `git push` would send, and what it says about it. */
function send(newer: string, older: string) {
  const args = ['pack-objects', '--progress', '--all-progress-implied', '--revs', '--stdout']
  const script = `git ${args.join(' ')} --thin 2>"$GIT_DIR/said"`
  const input = `${newer}\n^${older}\n`
  const pack = execFileSync('sh', ['-c', script], {
    input,
    env: { ...env, GIT_DIR: repository },
    maxBuffer: 2 ** 26,
  })
  return { bytes: pack.length, output: execFileSync('cat', [join(repository, 'said')]).toString() }
}

describe('a large folder', { timeout: 180_000 }, () => {
  test('is sent as what we know to have changed: git neither searches nor sends all of it', async () => {
    const first = await commit(emptyTree, undefined, [manyFiles('a')])
    let before = first
    for (let round = 1; round <= 5; round += 1) {
      const changes = new Map([[nameOf('a', round * 7), oidOf(round * 7 + 1)]])
      const after = await commit(before.tree, before.commit, [changes])
      const { bytes, output } = send(after.commit, before.commit)
      expect(output).toMatch(/Total \d+ \(delta 1\), reused \d+ \(delta 1\)/)
      expect(bytes).toBeLessThan(1024)
      before = after
    }
    expect(await deltaPacks()).toHaveLength(1)
  })

  test('becomes what git makes of the same files, whatever is changed, and git finds no fault', async () => {
    const index = fc.oneof(
      fc.nat({ max: fileCount + 20 }),
      fc.constantFrom(0, fileCount - 1, fileCount, 99, 100),
    )
    const content = fc.option(fc.constantFrom(0, 1, 2))
    const changes = fc.array(fc.tuple(index, content), { minLength: 1, maxLength: 40 })
    const pushes = fc.array(fc.array(changes, { minLength: 1, maxLength: 12 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(pushes, async (all) => {
        const files = new Map(manyFiles('a'))
        let head = await commit(emptyTree, undefined, [files])
        for (const push of all) {
          const steps = push.map(
            (step) =>
              new Map(step.map(([at, to]) => [nameOf('a', at), to === null ? null : oidOf(to)])),
          )
          for (const step of steps) for (const [path, oid] of step) files.set(path, oid)
          head = await commit(head.tree, head.commit, steps)
        }
        const listed = [...files].flatMap(([path, oid]) =>
          oid === null ? [] : `100644 blob ${oid}\t${path.slice('a/'.length)}\n`,
        )
        const expected = git(['mktree'], listed.join('')).toString().trim()
        expect(
          git(['rev-parse', `${head.tree}:a`])
            .toString()
            .trim(),
        ).toBe(expected)
        await expectFaultless(head.commit)
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })

  test('changed back within one push is held once', async () => {
    const first = await commit(emptyTree, undefined, [manyFiles('a')])
    const path = nameOf('a', 3)
    const there = new Map([[path, oidOf(1)]])
    const back = new Map([[path, oidOf(3)]])
    const last = await commit(first.tree, first.commit, [there, back, there, back])
    expect(last.tree).toBe(first.tree)
    await expectFaultless(last.commit)
  })

  test('is written whole among many others when it changes more often than a chain is long', async () => {
    const first = await commit(emptyTree, undefined, [manyFiles('a')])
    const steps = Array.from(
      { length: 60 },
      (_, round) => new Map([[nameOf('a', round), oidOf(round + 1)]]),
    )
    const last = await commit(first.tree, first.commit, steps)
    expect(() => send(last.commit, first.commit)).not.toThrow()
    await expectFaultless(last.commit)
  })

  test('does not fill the disk: what came before the last change goes', async () => {
    let head = await commit(emptyTree, undefined, [manyFiles('a')])
    const packed = async (): Promise<number> => {
      const names = await deltaPacks()
      const folder = join(repository, 'objects', 'pack')
      const sizes = names.map(async (name) => (await stat(join(folder, name))).size)
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    }
    const change = async (round: number) => {
      head = await commit(head.tree, head.commit, [
        new Map([[nameOf('a', round), oidOf(round + 1)]]),
      ])
    }
    await change(0)
    const [bytes, kept] = [await packed(), store.keptBytes]
    for (let round = 1; round <= 20; round += 1) await change(round)
    expect(await packed()).toBeLessThan(bytes * 1.1)
    expect(store.keptBytes - kept).toBeLessThan(20 * 10 * 4096)
  })
})

describe('many large folders', { timeout: 180_000 }, () => {
  test('take a bounded number of packs, and none of them is lost', async () => {
    const folders = Array.from({ length: 40 }, (_, index) => `folder-${index}`)
    const all = new Map<string, string | null>()
    for (const folder of folders) {
      for (const [path, oid] of manyFiles(folder)) all.set(path, oid)
      all.set(`${folder}/only-in-${folder}.yaml`, oidOf(0))
    }
    const first = await commit(emptyTree, undefined, [all])
    const changes = (name: string, some: readonly string[]) =>
      new Map(some.map((folder, at) => [`${folder}/${name}.yaml`, oidOf(at)]))
    let head = first
    const packs: number[] = []
    for (const [name, some] of [
      ['some', folders.slice(0, 30)],
      ['others', folders.slice(20)],
      ['all', folders],
    ] as const) {
      const steps = [changes(`${name}-1`, some), changes(`${name}-2`, some)]
      const after = await commit(head.tree, head.commit, steps)
      packs.push((await deltaPacks()).length)
      // Everything that is to be sent is there, the commit in between too.
      expect(() => send(after.commit, head.commit)).not.toThrow()
      head = after
    }
    expect(packs).toEqual([30, 32, 32])
    await expectFaultless(head.commit)
    const names = git(['ls-tree', '-r', '--name-only', head.commit]).toString().trim().split('\n')
    expect(names).toHaveLength(all.size + 2 * (30 + 20 + 40))
  })

  test('of equal contents that change differently in one push are both there', async () => {
    const first = await commit(emptyTree, undefined, [
      new Map([...manyFiles('a'), ...manyFiles('b')]),
    ])
    const second = await commit(first.tree, first.commit, [
      new Map([
        [nameOf('a', 1), oidOf(2)],
        [nameOf('b', 2), oidOf(0)],
      ]),
    ])
    const third = await commit(second.tree, second.commit, [new Map([[nameOf('b', 3), oidOf(1)]])])
    git(['update-ref', 'refs/heads/main', third.commit])
    const paths = [nameOf('a', 1), nameOf('b', 2), nameOf('b', 3)]
    const oids = paths.map((path) =>
      git(['rev-parse', `main:${path}`])
        .toString()
        .trim(),
    )
    expect(oids).toEqual([oidOf(2), oidOf(0), oidOf(1)])
  })
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  compare,
  foundAt,
  type GeneratedTree,
  leavesByName,
  surroundedFolder,
  treeGenerator,
} from './testing/generated-trees.ts'
import { leavingLink } from './tree-links.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const treesOfSeed = 1000

/** A commit for each tree, as a stream of `git fast-import`. */
function streamOf(trees: readonly GeneratedTree[]): string {
  const file = (mode: string, path: string, content: string) =>
    `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`
  return trees
    .map(({ folders, links }, index) => {
      const files = folders.map((folder) => file('100644', `${folder}/file`, 'x'))
      const linked = [...links].map(([path, target]) => file('120000', path, target))
      const head = `commit refs/heads/t${index}\ncommitter a <a@example.test> 1700000000 +0000\ndata 1\nx\n`
      return `${head}${files.join('')}${linked.join('')}\n`
    })
    .join('')
}

// Git itself writes the commits and checks them out, and the kernel resolves the links: 10,000 trees in all.
test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  '1,000 commits of seed %i are judged as their checkout shows',
  async (seed) => {
    const gitFolder = mkdtempSync(join(tmpdir(), 'agents-trees-'))
    const { root, remove } = surroundedFolder()
    onTestFinished(() => {
      rmSync(gitFolder, { recursive: true, force: true })
      remove()
    })
    const git = (args: readonly string[], input = '', more: Record<string, string> = {}) =>
      execFileSync('git', [...args], { env: { ...env, GIT_DIR: gitFolder, ...more }, input })
    git(['init', '--quiet', '--bare', gitFolder])
    const next = treeGenerator(seed)
    const trees = Array.from({ length: treesOfSeed }, next)
    git(['fast-import', '--quiet'], streamOf(trees))
    const tally = { left: 0, stayed: 0 }
    for (const [index, tree] of trees.entries()) {
      mkdirSync(root, { recursive: true })
      const indexFile = join(gitFolder, 'checkout-index')
      rmSync(indexFile, { force: true })
      git(['read-tree', '-u', '--reset', `refs/heads/t${index}`], '', {
        GIT_WORK_TREE: root,
        GIT_INDEX_FILE: indexFile,
      })
      compare(root, tree, tally)
      const found = await leavingLink({ gitFolder, env }, `refs/heads/t${index}`, [])
      const paths = [...tree.links.keys()]
      if (paths.some((path) => foundAt(root, path) === 'outside')) expect(found).toBeDefined()
      const isHarmless = [...tree.links].every(
        ([path, target]) => foundAt(root, path) === 'inside' && !leavesByName(path, target),
      )
      if (isHarmless) expect(found).toBeUndefined()
      rmSync(root, { recursive: true, force: true })
    }
    expect(tally.left).toBeGreaterThan(treesOfSeed / 10)
    expect(tally.stayed).toBeGreaterThan(treesOfSeed / 10)
  },
)

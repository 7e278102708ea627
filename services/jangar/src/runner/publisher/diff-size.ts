import type { VcsResult } from '../../run-contract/run-result.ts'
import type { Git } from '../vcs/git.ts'

type DiffSize = Pick<VcsResult, 'filesChanged' | 'insertions' | 'deletions'>

/** The commits are untrusted, and comparing them must not hold up a finished run. */
const longestDiffMs = 20_000

/** Files over this size count as binary: they have no lines. */
const largestTextFile = '16m'

/**
 * Counts what changes between two commits of the publisher's repository, or from nothing. Empty if it cannot be counted
 * in time.
 */
export async function diffSize(git: Git, from: string | undefined, to: string): Promise<DiffSize> {
  const start = from ?? (await emptyTree(git))
  if (start === undefined) return {}
  const options = ['--shortstat', '--no-renames', '--no-ext-diff', '--no-textconv']
  const result = await git.run(
    ['-c', `core.bigFileThreshold=${largestTextFile}`, 'diff-tree', ...options, start, to, '--'],
    {},
    longestDiffMs,
  )
  return result.code === 0 ? parsed(result.stdout) : {}
}

async function emptyTree(git: Git): Promise<string | undefined> {
  const { code, stdout } = await git.run(['hash-object', '-t', 'tree', '-w', '/dev/null'])
  return code === 0 ? stdout.trim() : undefined
}

function parsed(shortstat: string): DiffSize {
  const count = (what: RegExp) => Number(what.exec(shortstat)?.[1] ?? 0)
  return {
    filesChanged: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?\(/),
    deletions: count(/(\d+) deletions?\(/),
  }
}

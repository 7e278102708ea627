import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  defaultMaxChangedFiles,
  type PushPolicy,
  pathProblem,
} from '../../run-contract/repository/push-policy.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { findTokens } from '../../run-contract/secrets/token-formats.ts'
import type { Git } from '../vcs/git.ts'
import { localEnvironment } from '../vcs/git-environment.ts'
import { type ChangedFile, changedFiles } from './changed-files.ts'
import type { GitPlace } from './git-output.ts'
import { readNewContent, type Suspicion } from './new-blobs.ts'
import { leavingLink } from './tree-links.ts'

interface CheckOptions {
  readonly place: GitPlace
  /** Bound to the same repository. */
  readonly git: Git
  readonly policy: PushPolicy
  readonly startCommit: string | undefined
  readonly baseCommit: string | undefined
  readonly commit: string
}

/** Throws `PushPolicyViolated` with the file if the new commits may not be pushed. */
export async function checkPushPolicy(options: CheckOptions): Promise<void> {
  const { place, policy, startCommit, baseCommit, commit } = options
  const files = await changedFiles(place, { startCommit, baseCommit }, commit)
  const { maxChangedFiles = defaultMaxChangedFiles, maxBytes, allowTokens = false } = policy
  if (files.length > maxChangedFiles) {
    throw violation(
      `the new commits change ${files.length} files, and pushPolicy.maxChangedFiles is ${maxChangedFiles}`,
    )
  }
  // Before anything else, since other messages show the name.
  const named = allowTokens ? undefined : tokenInName(files)
  if (named !== undefined) throw violation(`the name of a file contains ${named}`)
  for (const file of files) {
    const problem = submoduleProblem(file) ?? pathProblem(file.path, policy)
    if (problem !== undefined) throw violation(`${shown(file.path)}: ${problem}`)
  }
  const known = [startCommit, baseCommit].filter((one) => one !== undefined)
  const leaving = await leavingLink(place, commit, known)
  if (leaving !== undefined) throw violation(`${shown(leaving.path)}: ${leaving.problem}`)
  const { bytes, suspicions } = await readNewContent(place, commit, known)
  if (maxBytes !== undefined && bytes > maxBytes) {
    throw violation(
      `the files in the new commits have ${bytes} bytes, and pushPolicy.maxBytes is ${maxBytes}`,
    )
  }
  if (allowTokens) return
  for (const suspicion of suspicions) {
    if (await isKnown(options, known, suspicion)) continue
    const { path, what } = suspicion
    const where = path === '' ? 'the message of a commit' : shown(path)
    throw violation(
      `${where} contains ${what}; remove it from all new commits, or set pushPolicy.allowTokens if it is test data`,
    )
  }
}

function tokenInName(files: readonly ChangedFile[]): string | undefined {
  const names = files.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path)
  return findTokens(names.join('\n'))[0]?.what
}

function violation(message: string): RunFailure {
  return new RunFailure('PushPolicyViolated', `nothing was pushed: ${message}`)
}

/** In quotes if it contains anything but plain characters. */
function shown(path: string): string {
  const short = path.length > 200 ? `…${path.slice(-199)}` : path
  return /^[\w./@+-]+$/.test(short) ? short : JSON.stringify(short.toWellFormed())
}

/** Submodules bring in what nobody has checked. */
function submoduleProblem({ path, kind }: ChangedFile): string | undefined {
  if (kind === 'deleted') return undefined
  const isSubmodule = kind === 'submodule' || /(^|\/)\.gitmodules$/i.test(path)
  return isSubmodule ? 'submodules cannot be added or changed' : undefined
}

/** Whether the value is in the repository already. It is passed by standard input, not as an argument. */
async function isKnown(
  { place: { gitFolder, env } }: CheckOptions,
  known: readonly string[],
  { value }: Suspicion,
): Promise<boolean> {
  if (known.length === 0) return false
  const args = ['grep', '--quiet', '--text', '--fixed-strings', '-f', '-', ...known]
  const child = spawn('git', args, {
    env: { ...localEnvironment(env), GIT_DIR: gitFolder },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${value}\n`)
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

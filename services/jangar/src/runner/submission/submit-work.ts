import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Reason, reasons } from '../../run-contract/outcome.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { VcsResult } from '../../run-contract/run-result.ts'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import type { Author } from '../vcs/commit-message.ts'
import { describeCheckout } from '../vcs/describe-checkout.ts'
import type { Git } from '../vcs/git.ts'
import { localEnvironment } from '../vcs/git-environment.ts'
import { scanNewObjects } from '../vcs/secret-scan.ts'
import type { WorkTree } from '../vcs/work-tree.ts'
import type { PublisherClient } from './publisher-client.ts'
import { refusedPatch } from './refused-patch.ts'

interface SubmitOptions {
  /** Bound to the work tree. Has no credential: whatever the agent has configured runs with the agent's own rights. */
  readonly git: Git
  readonly tree: WorkTree
  readonly env: Readonly<Record<string, string | undefined>>
  readonly publisher: PublisherClient | undefined
  readonly author: Author
  readonly message: string
  /** Where the pack, and what cannot be published, is written. */
  readonly agentFolder: string
  readonly runName: string
  /** Values of Secrets that the program has, and that must not be part of its work. */
  readonly secrets: readonly string[]
  readonly mask: SecretMask
  /** Keeps changes that may not be pushed; resolves to the name of their Artifact. If omitted, they are not kept. */
  readonly keepRefused?: KeepRefused | undefined
}

type KeepRefused = (patch: Uint8Array, folder: string) => Promise<string | undefined>

/** Commits what is left in the work tree and submits what is new to the publisher, which pushes it. */
export async function submitWork(options: SubmitOptions): Promise<VcsResult> {
  const { git, tree, publisher } = options
  await commit(options)
  const head = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'])
  const at = head.stdout.trim()
  if (publisher === undefined || head.code !== 0 || at === tree.startCommit) {
    return describeCheckout(tree)
  }
  try {
    await checkSecrets(options, at)
    const { pushed, branch, reason, message = '' } = await submit(options, publisher, at)
    if (reason !== undefined) throw new RunFailure(knownReason(reason), message)
    if (!pushed) return describeCheckout(tree)
    return { ...describeCheckout(tree), ...(branch && { headBranch: branch }), commit: at, pushed }
  } catch (error) {
    throw await withPatch(options, at, await withBundle(options, error))
  }
}

/** Shorter values are words that may stand anywhere. */
const shortestValue = 12

/** Against accidents: a program that has a value can disguise it. The publisher, which decides, has none of them. */
async function checkSecrets({ tree, env, secrets }: SubmitOptions, from: string): Promise<void> {
  const values = secrets.filter((value) => value.length >= shortestValue)
  if (values.length === 0) return
  const gitFolder = join(tree.folder, '.git')
  const known = [tree.startCommit, tree.baseCommit].filter((one) => one !== undefined)
  const verdict = await scanNewObjects({ gitFolder, env, from, known, secrets: values })
  if (verdict !== 'secret') return
  throw new RunFailure(
    'PushPolicyViolated',
    'nothing was pushed: the new commits contain the value of a Secret of the run',
  )
}

async function submit(options: SubmitOptions, publisher: PublisherClient, at: string) {
  const packPath = join(options.agentFolder, `submission-${options.runName}.pack`)
  try {
    await writePack(options, at, packPath)
    return await publisher.submit({ commit: at, packPath, packBytes: (await stat(packPath)).size })
  } finally {
    await rm(packPath, { force: true })
  }
}

/** Everything that the fetched repository lacks. */
async function writePack({ tree, env }: SubmitOptions, at: string, path: string): Promise<void> {
  const known = [tree.startCommit, tree.baseCommit].filter((one) => one !== undefined)
  const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q']
  const child = spawn('git', args, {
    cwd: tree.folder,
    env: localEnvironment(env),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${[at, ...known.map((one) => `^${one}`)].join('\n')}\n`)
  await pipeline(child.stdout, createWriteStream(path, { mode: 0o600 }))
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new RunFailure('CommitFailed', 'git could not pack the new commits')
}

/** Work that cannot be published is kept in the workspace. */
async function withBundle(
  { git, tree, agentFolder, runName }: SubmitOptions,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RunFailure) || error.reason === 'Terminated') return error
  const path = join(agentFolder, `unpublished-${runName}.bundle`)
  const known = [tree.startCommit, tree.baseCommit].filter((one) => one !== undefined)
  const made = await git
    .run(['bundle', 'create', path, 'HEAD', ...known.map((one) => `^${one}`)])
    .catch(() => undefined)
  if (made?.code !== 0) return error
  return new RunFailure(error.reason, `${error.message}; the work is saved in ${path}`)
}

/** What breaks the policy is kept with the other artifacts of the run, too. */
async function withPatch(
  { tree, env, mask, agentFolder, keepRefused }: SubmitOptions,
  to: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RunFailure) || error.reason !== 'PushPolicyViolated') return error
  if (keepRefused === undefined) return error
  const { folder, startCommit: from } = tree
  const keep = async (): Promise<string | undefined> => {
    const patch = await refusedPatch({ folder, env, from, to, mask })
    return patch && (await keepRefused(patch, agentFolder))
  }
  // The reason of the failure counts, whatever becomes of the patch.
  const artifact = await keep().catch(() => undefined)
  if (artifact === undefined) return error
  return new RunFailure(
    error.reason,
    `${error.message}; the changes are kept as artifact ${artifact}`,
  )
}

function knownReason(reason: string): Reason {
  return Object.hasOwn(reasons, reason) ? (reason as Reason) : 'PushFailed'
}

async function commit({ git, author, message }: SubmitOptions): Promise<void> {
  await mustRun(git, ['add', '--all'])
  const staged = await git.run(['diff', '--cached', '--quiet'])
  if (staged.code === 0) return
  await mustRun(git, ['commit', '--quiet', '--no-verify', `--message=${message}`], {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  })
}

async function mustRun(
  git: Git,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<void> {
  const result = await git.run(args, env)
  if (result.code === 0) return
  throw new RunFailure('CommitFailed', `git ${args[0]} failed: ${result.errorText}`)
}

import type { Git, GitRunOptions } from '../git-process/git.ts'
import { failureOf, withoutSecrets } from '../git-process/git.ts'
import { GitError, isGitError } from '../git-process/git-error.ts'
import { type PushVerdict, pushVerdict, serverWords } from './push-verdict.ts'

export interface RemoteTips {
  /** Where the branch is; undefined when there is none. */
  readonly branch: string | undefined
  /** Where the branch that the server calls its default is; undefined in an empty repository. */
  readonly defaultBranch: { readonly ref: string; readonly oid: string } | undefined
}

export interface RemoteBranchOptions {
  readonly git: Git
  /** For pushing, which asks for nothing. */
  readonly pushGit: Git
  readonly branch: string
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly timeoutMs: number
}

/** The name under which the connection's URL is configured. */
export const REMOTE = 'origin'

const LOCAL_REF = 'refs/agents/tip'

/** The conversation with the server about one branch. */
export class RemoteBranch {
  readonly #options: RemoteBranchOptions
  readonly ref: string
  /** What the tip that is here was fetched from. */
  #source: string

  constructor(options: RemoteBranchOptions) {
    this.#options = options
    this.ref = `refs/heads/${options.branch}`
    this.#source = this.ref
  }

  async tips(signal?: AbortSignal): Promise<RemoteTips> {
    const args = ['ls-remote', '--quiet', '--symref', REMOTE, 'HEAD', this.ref]
    const { stdout } = await this.#options.git.run(args, this.#run(signal))
    return parseTips(stdout.toString('utf8'), this.ref)
  }

  /** Brings the tip of a ref here, without history and, where the server can, without file contents; returns the commit. */
  async fetch(ref: string, signal?: AbortSignal): Promise<string> {
    const { git } = this.#options
    const args = [...fetchArgs, FILTER, '--depth=1', REMOTE, `+${ref}:${LOCAL_REF}`]
    await git.run(args, this.#run(signal))
    this.#source = ref
    const { stdout } = await git.run(['rev-parse', '--verify', LOCAL_REF], this.#run(signal))
    return stdout.toString('utf8').trim()
  }

  /** Brings file contents that were left on the server. */
  async fetchBlobs(oids: readonly string[], signal?: AbortSignal): Promise<void> {
    const input = [Buffer.from(`${oids.join('\n')}\n`)]
    // Told that we have the commit, the server would take it that we have its contents.
    const args = ['-c', 'fetch.negotiationAlgorithm=noop', ...fetchArgs, FILTER, '--stdin', REMOTE]
    try {
      await this.#options.git.run(args, { ...this.#run(signal), input })
    } catch (error) {
      if (!isGitError(error) || !UNADVERTISED.test(error.message)) throw error
      await this.#fetchAll(signal)
    }
  }

  /**
   * The tip with all its contents. There are servers that leave contents out and then do not hand them out one by one: those that are
   * told to filter but speak the old protocol, as sshd lets them unless it is told to pass GIT_PROTOCOL on.
   */
  async #fetchAll(signal: AbortSignal | undefined): Promise<void> {
    const how = ['--refetch', '--no-filter', '--depth=1']
    const args = [...fetchArgs, ...how, REMOTE, `+${this.#source}:${LOCAL_REF}`]
    await this.#options.git.run(args, this.#run(signal))
  }

  /** Moves the branch to `commit` if it still is at `expected`, or, without that, if it does not exist. */
  async push(commit: string, expected: string | undefined, signal?: AbortSignal): Promise<void> {
    const { pushGit, secrets } = this.#options
    const lease = `--force-with-lease=${this.ref}:${expected ?? ''}`
    const args = ['push', '--porcelain', '--no-verify', lease, REMOTE, `${commit}:${this.ref}`]
    const finished = await pushGit.attempt(args, this.#run(signal))
    const verdict = pushVerdict(finished.stdout.toString('utf8'), this.ref)
    if (finished.exitCode === 0 && verdict.kind === 'accepted') return
    const isDeclined =
      verdict.kind === 'declined' ||
      (verdict.kind === 'blocked' && (await this.tips(signal)).branch === expected)
    if (isDeclined) {
      throw declined(verdict.reason, serverWords(withoutSecrets(finished.stderr, secrets)))
    }
    throw errorOf(verdict) ?? failureOf('push', finished, secrets)
  }

  #run(signal: AbortSignal | undefined): GitRunOptions {
    const { env, timeoutMs } = this.#options
    return { env, timeoutMs, signal }
  }
}

const fetchArgs = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-gc',
  '--no-recurse-submodules',
]

const FILTER = '--filter=blob:none'
const UNADVERTISED = /unadvertised object|not our ref/i

const parseTips = (text: string, ref: string): RemoteTips => {
  const lines = text.split('\n').map((line) => line.split('\t'))
  const oidOf = (name: string): string | undefined =>
    lines.find((line) => line[1] === name && !line[0]?.startsWith('ref:'))?.[0]
  const symbolic = lines.find((line) => line[1] === 'HEAD' && line[0]?.startsWith('ref: '))
  const head = oidOf('HEAD')
  return {
    branch: oidOf(ref),
    defaultBranch:
      head === undefined
        ? undefined
        : { ref: symbolic?.[0]?.slice('ref: '.length) ?? 'HEAD', oid: head },
  }
}

const errorOf = (verdict: PushVerdict): GitError | undefined => {
  switch (verdict.kind) {
    case 'stale':
    case 'blocked':
      return new GitError('stale', 'the branch was written by somebody else')
    case 'declined':
    case 'accepted':
    case 'unknown':
      return undefined
  }
}

/** Whoever wrote the hook or protected the branch says there what to do. */
const declined = (reason: string, words: string): GitError =>
  new GitError(
    'rejected',
    `the server does not take the push: ${reason}${words === '' ? '' : `; it says: ${words}`}`,
  )

import { GitError, isGitError } from '../git-error.ts'
import type { Git, GitRunOptions } from '../git-process/git.ts'
import { failureOf, withoutSecrets } from '../git-process/git.ts'
import { type PushVerdict, pushVerdict, serverMessage } from './push-verdict.ts'

interface RemoteTips {
  /** The branch's commit. Undefined if the branch does not exist. */
  readonly branch: string | undefined
  /** The commit of the server's default branch. Undefined in an empty repository. */
  readonly defaultBranch: { readonly ref: string; readonly oid: string } | undefined
}

interface RemoteBranchOptions {
  readonly git: Git
  /** For pushes, which fetch nothing. */
  readonly pushGit: Git
  readonly branch: string
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly timeoutMs: number
}

/** The name under which the connection's URL is configured. */
export const remoteName = 'origin'

const localRef = 'refs/agents/tip'

const pushedPrefix = 'refs/agents/pushed/'

/**
 * What is pushed: the one branch below the prefix. Git takes also a full name on the right for an abbreviation, so that
 * `refs/heads/main` could be `refs/heads/refs/heads/main` of the server; a pattern stands for exact names.
 */
const pushedRefs = `${pushedPrefix}*:refs/heads/*`

/** Reads and writes one branch of the server. */
export class RemoteBranch {
  readonly #options: RemoteBranchOptions
  readonly ref: string
  /** The ref that the local tip was fetched from. */
  #source: string

  constructor(options: RemoteBranchOptions) {
    this.#options = options
    this.ref = `refs/heads/${options.branch}`
    this.#source = this.ref
  }

  async tips(signal?: AbortSignal): Promise<RemoteTips> {
    const args = ['ls-remote', '--quiet', '--symref', remoteName, 'HEAD', this.ref]
    const { stdout } = await this.#options.git.run(args, this.#run(signal))
    return parseTips(stdout.toString('utf8'), this.ref)
  }

  /**
   * Fetches the tip of a ref, without history and, where the server supports it, without file contents. Returns the
   * commit.
   */
  async fetch(ref: string, signal?: AbortSignal): Promise<string> {
    const { git } = this.#options
    const args = [...fetchArgs, withoutBlobs, '--depth=1', remoteName, `+${ref}:${localRef}`]
    await git.run(args, this.#run(signal))
    this.#source = ref
    const { stdout } = await git.run(['rev-parse', '--verify', localRef], this.#run(signal))
    return stdout.toString('utf8').trim()
  }

  /** The branch's commits with the ids of their parents, newest first. Fetches commits alone if the server can. */
  async history(signal?: AbortSignal): Promise<Map<string, readonly string[]>> {
    await this.#fetchHistory('--filter=tree:0', signal)
    const args = ['rev-list', '--parents', localRef]
    const { stdout } = await this.#options.git.run(args, this.#run(signal))
    const lines = stdout.toString('utf8').split('\n').filter(Boolean)
    return new Map(
      lines.map((line) => {
        const [commit = '', ...parents] = line.split(' ')
        return [commit, parents]
      }),
    )
  }

  /**
   * The first parent of the last commit that deleted a file with one of these paths; undefined if there is none. `*` in
   * a path stands for any folder.
   */
  async beforeDeletion(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    await this.#fetchHistory(withoutBlobs, signal)
    const how = ['-1', '--first-parent', '--diff-filter=D', '--no-renames', '--format=%P']
    const globs = paths.map((path) => `:(glob)${path}`)
    const args = ['log', ...how, localRef, '--', ...globs]
    const { stdout } = await this.#options.git.run(args, this.#run(signal))
    return /^[0-9a-f]{40}/.exec(stdout.toString('utf8'))?.[0]
  }

  async #fetchHistory(filter: string, signal: AbortSignal | undefined): Promise<void> {
    const args = [...fetchArgs, filter, remoteName, `+${this.ref}:${localRef}`]
    await this.#options.git.run(args, this.#run(signal))
  }

  /** Fetches a commit of the branch like the tip of a ref; from servers that only serve refs, the whole branch. */
  async fetchCommit(oid: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.fetch(oid, signal)
    } catch (error) {
      if (!isGitError(error) || !unadvertisedObject.test(error.message)) throw error
      const args = [...fetchArgs, '--no-filter', remoteName, `+${this.ref}:${localRef}`]
      await this.#options.git.run(args, this.#run(signal))
    }
  }

  /** Fetches file contents that an earlier fetch omitted. */
  async fetchBlobs(oids: readonly string[], signal?: AbortSignal): Promise<void> {
    const input = [Buffer.from(`${oids.join('\n')}\n`)]
    // If the server knew that the commit is here, it would assume that its contents are, too.
    const args = [
      '-c',
      'fetch.negotiationAlgorithm=noop',
      ...fetchArgs,
      withoutBlobs,
      '--stdin',
      remoteName,
    ]
    try {
      await this.#options.git.run(args, { ...this.#run(signal), input })
    } catch (error) {
      if (!isGitError(error) || !unadvertisedObject.test(error.message)) throw error
      await this.#fetchAll(signal)
    }
  }

  /**
   * Fetches the tip with all its contents. Some servers omit contents and then do not serve them one by one: those that
   * allow filters but speak the old protocol, as with an sshd that does not accept GIT_PROTOCOL.
   */
  async #fetchAll(signal: AbortSignal | undefined): Promise<void> {
    const how = ['--refetch', '--no-filter', '--depth=1']
    const args = [...fetchArgs, ...how, remoteName, `+${this.#source}:${localRef}`]
    await this.#options.git.run(args, this.#run(signal))
  }

  /** Moves the branch to `commit` if it still is at `expected`. Without `expected`, creates it if it does not exist. */
  async push(commit: string, expected: string | undefined, signal?: AbortSignal): Promise<void> {
    const { pushGit, secrets } = this.#options
    const lease = `--force-with-lease=${this.ref}:${expected ?? ''}`
    const args = ['push', '--porcelain', '--no-verify', lease, remoteName, pushedRefs]
    const finished = await this.#withPushedRef(commit, signal, () =>
      pushGit.attempt(args, this.#run(signal)),
    )
    const verdict = pushVerdict(finished.stdout.toString('utf8'), this.ref)
    if (finished.exitCode === 0 && verdict.kind === 'accepted') return
    const isDeclined =
      verdict.kind === 'declined' ||
      (verdict.kind === 'blocked' && (await this.tips(signal)).branch === expected)
    if (isDeclined) {
      throw declined(verdict.reason, serverMessage(withoutSecrets(finished.stderr, secrets)))
    }
    throw errorOf(verdict) ?? failureOf('push', finished, secrets)
  }

  /** Checks that the server permits a push, without pushing anything. */
  async dryPush(signal?: AbortSignal): Promise<void> {
    const { pushGit } = this.#options
    const run = this.#run(signal)
    const tree = await pushGit.run(['hash-object', '-t', 'tree', '-w', '--stdin'], run)
    const commitArgs = ['commit-tree', '-m', 'dry run', tree.stdout.toString('utf8').trim()]
    const commit = await pushGit.run(commitArgs, { ...run, env: { ...run.env, ...dryRunAuthor } })
    const args = ['push', '--dry-run', '--porcelain', '--no-verify', remoteName, `+${pushedRefs}`]
    await this.#withPushedRef(commit.stdout.toString('utf8').trim(), signal, () =>
      pushGit.run(args, run),
    )
  }

  /**
   * Names the commit for the time of a push. Afterwards it needs no name: it refers to trees that are only on the
   * server, which is wrong in a commit that a ref keeps.
   */
  async #withPushedRef<T>(
    commit: string,
    signal: AbortSignal | undefined,
    push: () => Promise<T>,
  ): Promise<T> {
    const { git, branch } = this.#options
    const ref = `${pushedPrefix}${branch}`
    await git.run(['update-ref', ref, commit], this.#run(signal))
    try {
      return await push()
    } finally {
      // Also after an abort. What a crash leaves is replaced by the next push.
      await git.attempt(['update-ref', '-d', ref], this.#run(undefined))
    }
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

/** The author of a commit that is never sent. */
const dryRunAuthor = {
  GIT_AUTHOR_NAME: 'nobody',
  GIT_AUTHOR_EMAIL: 'nobody@invalid',
  GIT_COMMITTER_NAME: 'nobody',
  GIT_COMMITTER_EMAIL: 'nobody@invalid',
}

const withoutBlobs = '--filter=blob:none'
const unadvertisedObject = /unadvertised object|not our ref/i

function parseTips(text: string, ref: string): RemoteTips {
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

function errorOf(verdict: PushVerdict): GitError | undefined {
  switch (verdict.kind) {
    case 'stale':
    case 'blocked':
      return new GitError('stale', 'the branch was changed by another writer')
    case 'declined':
    case 'accepted':
    case 'unknown':
      return undefined
  }
}

/** The message of the server's hook or branch protection tells the user what to do. */
function declined(reason: string, output: string): GitError {
  return new GitError(
    'rejected',
    `the server rejected the push: ${reason}${output === '' ? '' : `; its message: ${output}`}`,
  )
}

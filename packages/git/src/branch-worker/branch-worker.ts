import { rm } from 'node:fs/promises'
import type { Logger } from '@agents/log'
import type { Identity } from '../commit/commit-object.ts'
import type { Connection } from '../git-process/connection.ts'
import { GitError } from '../git-process/git-error.ts'
import { folderPath } from '../object-writer/repository-path.ts'
import { type BackoffOptions, backoffDelay, defaultBackoff } from './backoff.ts'
import { checkBranchName } from './branch-name.ts'
import { BranchSession, type NewBranchStart } from './branch-session.ts'
import { type BuiltCommits, buildCommits } from './build-commits.ts'
import type { ChangeSet, Confirmation } from './change-set.ts'
import { type FolderFile, listFolder } from './folder.ts'
import { openLocalRepository, type Timeouts } from './local-repository.ts'
import { PendingChanges, type PendingCommit } from './pending-changes.ts'
import { Turnstile } from './turnstile.ts'
import { WakeableTimer } from './wakeable-timer.ts'

export interface BranchWorkerOptions {
  readonly connection: Connection
  readonly branch: string
  /** Ours alone. It holds nothing that cannot be made again, and may be removed at any time. */
  readonly directory: string
  readonly committer: Identity
  readonly log: Logger
  /** Signs each commit; see `SshSigner`. */
  readonly sign?: (payload: Buffer) => Promise<string>
  readonly newBranch?: NewBranchStart
  readonly timeouts?: Timeouts
  readonly backoff?: BackoffOptions
  readonly clock?: () => Date
  /** Where `git` and `ssh` are searched. */
  readonly path?: string
  /** The local copy is made anew when so much was written to it, which is how it loses what it no longer needs. */
  readonly renewAfterBytes?: number
  /** The branch moved, and not by us: what it holds may differ from what was confirmed before. */
  readonly onForeignChange?: (move: { from: string | undefined; to: string | undefined }) => void
  /** Something in `state` is another than before. */
  readonly onState?: () => void
  /** A push has brought commits; told before those who asked for them are. */
  readonly onPushed?: (times: PushTimes) => void
}

/** Of the attempt that went well. */
export interface PushTimes {
  readonly startedAt: Date
  readonly builtAt: Date
  readonly pushedAt: Date
}

export interface BranchWorkerState {
  /** Paths that are asked for and not confirmed. */
  readonly pendingChanges: number
  /** Our last commit that the server has. */
  readonly lastCommit: string | undefined
  readonly lastPushTime: Date | undefined
  /** Why the last attempt failed; none after one that did not. */
  readonly lastError: GitError | undefined
}

export interface FolderContents {
  /** Undefined when neither the branch nor anything to start it from exists. */
  readonly commit: string | undefined
  readonly files: ReadonlyMap<string, FolderFile>
}

const defaultTimeouts: Timeouts = { networkMs: 120_000, localMs: 60_000 }
const RENEW_AFTER_BYTES = 256 * 1024 * 1024
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * The one writer of a branch. Changes that are asked for stay pending until the server has confirmed a commit that holds them; whatever
 * fails is tried again, on top of whatever the branch holds by then. Nobody's commit is ever removed.
 */
export class BranchWorker {
  readonly #options: BranchWorkerOptions
  readonly #pending = new PendingChanges()
  readonly #turns = new Turnstile()
  readonly #timer = new WakeableTimer()
  readonly #stop = new AbortController()
  #connection: Connection
  #session: BranchSession | undefined
  #running = false
  #failures = 0
  #seen: { tip: string | undefined } | undefined
  /** A commit whose push failed, though the server may have it all the same, and the paths in it by owner. */
  #unsure: { commit: string | undefined; changed: Map<string, readonly string[]> } | undefined
  #state: Omit<BranchWorkerState, 'pendingChanges'> = {
    lastCommit: undefined,
    lastPushTime: undefined,
    lastError: undefined,
  }

  constructor(options: BranchWorkerOptions) {
    checkBranchName(options.branch)
    this.#options = options
    this.#connection = options.connection
  }

  get state(): BranchWorkerState {
    return { ...this.#state, pendingChanges: this.#pending.size }
  }

  /** Settles when the server has it; is refused only when the worker is closed. Errors on the way are in `state`. */
  apply(set: ChangeSet): Promise<Confirmation> {
    if (this.#stop.signal.aborted) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      this.#pending.add(set, { resolve, reject })
      this.#options.onState?.()
      void this.#run()
    })
  }

  /** What a folder of the branch holds, as far as we know it; `refresh` first to ask the server again. */
  list(folder: string): Promise<FolderContents> {
    return this.#inTurn(async (session) => {
      const { commit, tree } = await this.#base(session)
      return { commit, files: await listFolder(session.reader, tree, folderPath(folder)) }
    })
  }

  /** Contents of files that `list` named. */
  read(oids: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#inTurn((session) => session.reader.readBlobs(oids))
  }

  /** Asks the server whether the branch is where it was. */
  refresh(): Promise<void> {
    return this.#inTurn(async (session) => {
      if (!(await session.isCurrent())) session.forgetBase()
      await this.#base(session)
    })
  }

  /** Other credentials or host keys; what waits is tried with them at once. */
  async reconnect(connection: Connection): Promise<void> {
    this.#connection = connection
    await this.#turns.enter(() => this.#discard())
    this.retryNow()
  }

  retryNow(): void {
    this.#failures = 0
    this.#timer.wake()
  }

  /** Ends what runs. What still waits is refused: the caller asks for it again when it starts again. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#timer.wake()
    this.#pending.rejectAll(closed())
    await this.#turns.enter(() => this.#discard())
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    while (!this.#pending.isEmpty && !this.#stop.signal.aborted) {
      try {
        await this.#turns.enter(() => this.#attempt())
        this.#failures = 0
        this.#report({ lastError: undefined })
      } catch (error) {
        await this.#recover(toGitError(error))
      }
    }
    this.#running = false
  }

  async #attempt(): Promise<void> {
    const { committer, sign, clock = () => new Date() } = this.#options
    const startedAt = clock()
    const session = await this.#open()
    const base = await this.#base(session)
    const pending = this.#pending.take()
    const landed = base.commit === this.#unsure?.commit ? this.#unsure?.changed : undefined
    try {
      const built = await buildCommits({
        reader: session.reader,
        keeper: session.keeper,
        base,
        pending,
        committer,
        time: clock(),
        sign,
      })
      const builtAt = clock()
      const written = built.head.commit !== base.commit
      if (written) this.#unsure = unsureOf(pending, built, landed)
      await session.push(built)
      this.#unsure = undefined
      this.#pending.settle()
      this.#seen = { tip: session.tip }
      const pushedAt = clock()
      if (written) this.#options.onPushed?.({ startedAt, builtAt, pushedAt })
      if (written) this.#pushed(session.tip, pushedAt)
      this.#confirm(pending, resultsWith(landed, pending, built), session.tip)
    } catch (error) {
      this.#pending.putBack()
      session.forgetBase()
      throw error
    }
    if (session.keptBytes >= (this.#options.renewAfterBytes ?? RENEW_AFTER_BYTES)) {
      await this.#discard()
    }
  }

  #confirm(
    pending: readonly PendingCommit[],
    results: readonly Pick<Confirmation, 'changed' | 'refused'>[],
    commit: string | undefined,
  ): void {
    for (const [index, { waiting }] of pending.entries()) {
      const { changed = [], refused = [] } = results[index] ?? {}
      for (const { resolve } of waiting) {
        resolve({ commit, written: changed.length > 0, changed, refused })
      }
    }
  }

  #pushed(commit: string | undefined, time: Date): void {
    this.#options.log.info('pushed', { branch: this.#options.branch, commit })
    this.#report({ lastCommit: commit, lastPushTime: time })
  }

  async #recover(error: GitError): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#failures += 1
    const { backoff = defaultBackoff, branch, log } = this.#options
    if (error.code === 'stale') {
      // Losing a race is no trouble yet; losing it again and again gets slower, like everything else.
      const patience = this.#failures - 3
      const spread = backoff.random() * 20 * this.#failures
      if (patience > 0) this.#report({ lastError: error })
      await this.#timer.wait(patience > 0 ? backoffDelay(patience, backoff) : spread)
      return
    }
    if (this.#state.lastError?.code !== error.code) log.warn('cannot push', { branch, error })
    this.#report({ lastError: error })
    const isLocal = error.code === 'local' || error.code === 'disk-full'
    if (isLocal) await this.#turns.enter(() => this.#discard())
    // A broken copy is mended by a new one, and there is nobody to wait for.
    if (error.code === 'local' && this.#failures === 1) return
    await this.#timer.wait(backoffDelay(this.#failures, backoff))
  }

  async #inTurn<T>(work: (session: BranchSession) => Promise<T>): Promise<T> {
    return this.#turns.enter(async () => {
      try {
        return await work(await this.#open())
      } catch (error) {
        const known = toGitError(error)
        if (known.code === 'local') await this.#discard()
        throw known
      }
    })
  }

  async #open(): Promise<BranchSession> {
    if (this.#stop.signal.aborted) throw closed()
    if (this.#session !== undefined) return this.#session
    const { directory, branch, timeouts = defaultTimeouts, path = defaultPath } = this.#options
    const repository = await openLocalRepository({
      directory,
      connection: this.#connection,
      branch,
      path,
      timeouts,
      signal: this.#stop.signal,
    })
    const start = this.#options.newBranch ?? 'default-branch'
    this.#session = new BranchSession(repository, start, this.#stop.signal)
    return this.#session
  }

  /** Where the next commit goes; whoever cares is told when the branch is not where it was. */
  async #base(session: BranchSession): ReturnType<BranchSession['base']> {
    const base = await session.base()
    const { tip } = session
    const before = this.#seen
    this.#seen = { tip }
    if (before === undefined || before.tip === tip) return base
    if (tip !== undefined && tip === session.attempted) this.#pushed(tip, new Date())
    else this.#options.onForeignChange?.({ from: before.tip, to: tip })
    return base
  }

  async #discard(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    await session?.close()
    await rm(this.#options.directory, { recursive: true, force: true })
  }

  #report(change: Partial<Omit<BranchWorkerState, 'pendingChanges'>>): void {
    this.#state = { ...this.#state, ...change }
    this.#options.onState?.()
  }
}

/** What a commit brings, together with what an earlier one brought that the server turned out to have. */
const resultsWith = (
  landed: ReadonlyMap<string, readonly string[]> | undefined,
  pending: readonly PendingCommit[],
  { results }: BuiltCommits,
): Pick<Confirmation, 'changed' | 'refused'>[] =>
  pending.map(({ owner }, index) => {
    const { changed = [], refused = [] } = results[index] ?? {}
    return { changed: [...new Set([...(landed?.get(owner) ?? []), ...changed])], refused }
  })

const unsureOf = (
  pending: readonly PendingCommit[],
  built: BuiltCommits,
  landed: ReadonlyMap<string, readonly string[]> | undefined,
) => {
  const changed = new Map<string, readonly string[]>(landed)
  for (const [index, result] of resultsWith(landed, pending, built).entries()) {
    const owner = pending[index]?.owner ?? ''
    changed.set(owner, [...new Set([...(changed.get(owner) ?? []), ...result.changed])])
  }
  return { commit: built.head.commit, changed }
}

const closed = (): GitError => new GitError('aborted', 'the branch worker is closed')

const toGitError = (error: unknown): GitError => {
  if (error instanceof GitError) return error
  const code = (error as { readonly code?: unknown } | null)?.code
  if (code === 'ENOSPC')
    return new GitError('disk-full', 'no room for the local copy', { cause: error })
  return new GitError('local', 'the local copy cannot be used', { cause: error })
}

import { rm } from 'node:fs/promises'
import type { Logger } from '@agents/log'
import type { Identity } from '../commit/commit-object.ts'
import { GitError } from '../git-error.ts'
import type { Connection } from '../git-process/connection.ts'
import { folderPath } from '../object-writer/repository-path.ts'
import { type BackoffOptions, backoffDelay, defaultBackoff } from './backoff.ts'
import { checkBranchName } from './branch-name.ts'
import { BranchSession, type NewBranchStart } from './branch-session.ts'
import { type BuiltCommits, buildCommits } from './build-commits.ts'
import type { ChangeSet, Confirmation } from './change-set.ts'
import { type FolderFile, listFolder } from './list-folder.ts'
import { openLocalRepository, type Timeouts } from './local-repository.ts'
import { PendingChanges, type PendingCommit } from './pending-changes.ts'
import { Turnstile } from './turnstile.ts'
import { WakeableTimer } from './wakeable-timer.ts'

export interface BranchWorkerOptions {
  readonly connection: Connection
  readonly branch: string
  /** Used by no one else. Its content can be recreated, so it may be removed at any time. */
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
  /**
   * The local copy is recreated after this many bytes were written to it, which removes objects that are no longer
   * needed.
   */
  readonly renewAfterBytes?: number
  /** Where the previous worker left the branch. `onForeignChange` is called if the branch has moved since. */
  readonly seen?: SeenBranch | undefined
  /** Called when another writer moved the branch: its content may differ from what was confirmed. */
  readonly onForeignChange?: (move: { from: string | undefined; to: string | undefined }) => void
  /** Called when `state` has changed. */
  readonly onState?: () => void
  /** Called after a successful push, before the promises of its change sets are resolved. */
  readonly onPushed?: (times: PushTimes) => void
}

/** The position of a branch, as a worker saw it last. */
export interface SeenBranch {
  /** Undefined if the branch did not exist. */
  readonly tip: string | undefined
  /** Our commit whose push was not confirmed, though the server may have it. */
  readonly attempted?: string | undefined
}

/** Times of the successful attempt. */
export interface PushTimes {
  readonly startedAt: Date
  readonly builtAt: Date
  readonly pushedAt: Date
}

interface BranchWorkerState {
  /** Paths with a requested change that is not confirmed yet. */
  readonly pendingChanges: number
  /** Our last commit that the server has. */
  readonly lastCommit: string | undefined
  readonly lastPushTime: Date | undefined
  /** Why the last attempt failed. Undefined if it succeeded. */
  readonly lastError: GitError | undefined
}

export interface FolderContents {
  /** Undefined when neither the branch nor anything to start it from exists. */
  readonly commit: string | undefined
  readonly files: ReadonlyMap<string, FolderFile>
}

const defaultTimeouts: Timeouts = { networkMs: 120_000, localMs: 60_000 }
const defaultRenewAfterBytes = 256 * 1024 * 1024
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * The one writer of a branch. Changes that are asked for stay pending until the server has confirmed a commit that
 * holds them; whatever fails is tried again, on top of whatever the branch holds by then. Nobody's commit is ever
 * removed.
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
  #seen: SeenBranch | undefined
  /** When the position of the branch was last confirmed by the server. */
  #checkedAt = Number.NEGATIVE_INFINITY
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
    this.#seen = options.seen
  }

  /** For the next worker of the branch, once this one is closed; undefined if the branch was never seen. */
  get seen(): SeenBranch | undefined {
    const { tip, attempted } = this.#seen ?? {}
    return this.#seen && { tip, attempted: this.#unsure?.commit ?? attempted }
  }

  get state(): BranchWorkerState {
    return { ...this.#state, pendingChanges: this.#pending.size }
  }

  /** Resolves when the server has the change; rejects only if the worker is closed. Errors meanwhile are in `state`. */
  apply(set: ChangeSet): Promise<Confirmation> {
    if (this.#stop.signal.aborted) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      this.#pending.add(set, { resolve, reject })
      this.#options.onState?.()
      void this.#run()
    })
  }

  /** The files of a folder of the branch, as last known; call `refresh` first to ask the server again. */
  list(folder: string): Promise<FolderContents> {
    return this.#inTurn(async (session) => {
      const { commit, tree } = await this.#base(session)
      return { commit, files: await listFolder(session.reader, tree, folderPath(folder)) }
    })
  }

  /**
   * The sizes of files that `list` returned, in bytes. Contents are fetched to disk, but not read; ask for all files at
   * once, because each call may cost a request to the server.
   */
  sizes(oids: readonly string[]): Promise<Map<string, number>> {
    return this.#inTurn((session) => session.reader.blobSizes(oids))
  }

  /** The contents of files that `list` returned. They are all in memory at once, so check their sizes before. */
  read(oids: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#inTurn((session) => session.reader.readBlobs(oids))
  }

  /** Asks the server whether the branch has moved, unless that was known at most `maxAgeMs` ago. */
  refresh(maxAgeMs = 0): Promise<void> {
    return this.#inTurn(async (session) => {
      if (performance.now() - this.#checkedAt < maxAgeMs) return
      if (!(await session.isCurrent())) session.forgetBase()
      await this.#base(session)
      this.#checkedAt = performance.now()
    })
  }

  /** Replaces the credentials or host keys, and retries pending changes with them at once. */
  async reconnect(connection: Connection): Promise<void> {
    this.#connection = connection
    await this.#turns.enter(() => this.#discard())
    this.retryNow()
  }

  retryNow(): void {
    this.#failures = 0
    this.#timer.wake()
  }

  /** Ends the work in progress and rejects pending changes; callers request them again after a restart. */
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
      if (written) this.#checkedAt = performance.now()
      const pushedAt = clock()
      if (written) this.#options.onPushed?.({ startedAt, builtAt, pushedAt })
      if (written) this.#pushed(session.tip, pushedAt)
      this.#confirm(pending, resultsWith(landed, pending, built), session.tip)
    } catch (error) {
      this.#pending.putBack()
      session.forgetBase()
      throw error
    }
    if (session.keptBytes >= (this.#options.renewAfterBytes ?? defaultRenewAfterBytes)) {
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
      // Losing a race once is normal; repeated losses are retried with backoff, like other errors.
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
    // A new copy replaces a broken one at once: waiting would not help.
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

  /** The position for the next commit. Reports when the branch has moved. */
  async #base(session: BranchSession): ReturnType<BranchSession['base']> {
    const base = await session.base()
    const { tip } = session
    const before = this.#seen
    this.#seen = { tip }
    if (before === undefined || before.tip === tip) return base
    const isOwn = tip !== undefined && (tip === session.attempted || tip === before.attempted)
    if (isOwn) this.#pushed(tip, new Date())
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
function resultsWith(
  landed: ReadonlyMap<string, readonly string[]> | undefined,
  pending: readonly PendingCommit[],
  { results }: BuiltCommits,
): Pick<Confirmation, 'changed' | 'refused'>[] {
  return pending.map(({ owner }, index) => {
    const { changed = [], refused = [] } = results[index] ?? {}
    return { changed: [...new Set([...(landed?.get(owner) ?? []), ...changed])], refused }
  })
}

function unsureOf(
  pending: readonly PendingCommit[],
  built: BuiltCommits,
  landed: ReadonlyMap<string, readonly string[]> | undefined,
) {
  const changed = new Map<string, readonly string[]>(landed)
  for (const [index, result] of resultsWith(landed, pending, built).entries()) {
    const owner = pending[index]?.owner ?? ''
    changed.set(owner, [...new Set([...(changed.get(owner) ?? []), ...result.changed])])
  }
  return { commit: built.head.commit, changed }
}

function closed(): GitError {
  return new GitError('aborted', 'the branch worker is closed')
}

function toGitError(error: unknown): GitError {
  if (error instanceof GitError) return error
  const code = (error as { readonly code?: unknown } | null)?.code
  if (code === 'ENOSPC')
    return new GitError('disk-full', 'no disk space left for the local copy of the repository', {
      cause: error,
    })
  return new GitError('local', 'the local copy of the repository cannot be used', { cause: error })
}

import { createHash } from 'node:crypto'
import {
  type BranchWorker,
  type BranchWorkers,
  type Connection,
  canonicalUrl,
  type Identity,
  type PushTimes,
  type SeenBranch,
  SshSigner,
  type WorkerLease,
  workerKey,
} from '@agents/git'
import type { Logger } from '@agents/log'

/** Settings of a GitProvider that a branch worker needs. */
export interface WriterSettings {
  /** `namespace/name` of the GitProvider. */
  readonly provider: string
  readonly connection: Connection
  readonly branch: string
  readonly committer: Identity
  readonly signingKey: { readonly privateKey: string; readonly passphrase?: string } | undefined
}

export interface WriterListener {
  onForeignChange(): void
  onState(): void
  /** Called after a push for this listener or for others that share the branch. */
  onPushed?(times: PushTimes): void
  /** The worker was replaced: work that was pending in the old worker has to be submitted again. */
  onReplaced(): void
}

export interface Writer {
  /** Repository and branch. */
  readonly name: string
  /** Identifies the worker. Stays the same when the process restarts. */
  uid(): Promise<string>
  /**
   * How often this process found that another writer had moved the branch. A new worker, and a writer that is acquired
   * again, continue the count.
   */
  readonly foreignChanges: number
  /** The current worker. Must not be kept, because it may be replaced. */
  worker(): Promise<BranchWorker>
  update(settings: WriterSettings): Promise<void>
  release(): Promise<void>
}

interface Entry {
  readonly commit: string
  connection: string
  readonly lease: WorkerLease
  readonly signer: SshSigner | undefined
}

/** What outlives the workers of a branch. */
interface BranchHistory {
  /** Where the last worker left the branch. Without it, the next one would take any change for the initial state. */
  seen: SeenBranch | undefined
  foreignChanges: number
}

interface Shared {
  readonly history: BranchHistory
  entry: Promise<Entry>
  /** Settles when all requested updates have been applied, one after the other. */
  updated: Promise<void>
  readonly writers: Set<WriterListener>
}

interface BranchWritersOptions {
  readonly workers: BranchWorkers
  readonly log: Logger
  /** Search path for `git` and `ssh`. */
  readonly path: string
}

/**
 * Workers that follow the settings of their provider: new credentials are used at once, a new committer replaces the
 * worker. Each provider has its own worker, even for the same branch, so that no provider's credentials push the
 * changes of another.
 */
export class BranchWriters {
  readonly #options: BranchWritersOptions
  readonly #shared = new Map<string, Shared>()
  readonly #closing = new Map<string, Promise<void>>()
  /** Never removed: there are few branches, and a target may return at any time. */
  readonly #histories = new Map<string, BranchHistory>()

  constructor(options: BranchWritersOptions) {
    this.#options = options
  }

  /** Joins or starts the worker of the provider and branch, and applies the settings to it. */
  async acquire(settings: WriterSettings, listener: WriterListener): Promise<Writer> {
    const name = workerKey(settings.connection.url, settings.branch)
    const key = `${name} ${settings.provider}`
    const shared = this.#shared.get(key) ?? this.#start(key, settings)
    shared.writers.add(listener)
    try {
      await this.#update(shared, settings)
    } catch (error) {
      await this.#leave(key, shared, listener)
      throw error
    }
    return {
      name,
      uid: async () => digest([key, (await shared.entry).commit]).slice(0, 16),
      get foreignChanges() {
        return shared.history.foreignChanges
      },
      worker: async () => (await shared.entry).lease.worker,
      update: async (next) => {
        if (shared.writers.has(listener)) await this.#update(shared, next)
      },
      release: () => this.#leave(key, shared, listener),
    }
  }

  #start(key: string, settings: WriterSettings): Shared {
    // A worker that is still closing would be joined with its old settings.
    const ended = this.#closing.get(key) ?? Promise.resolve()
    const history = this.#histories.get(key) ?? { seen: undefined, foreignChanges: 0 }
    this.#histories.set(key, history)
    const shared: Shared = {
      history,
      entry: ended.then(() => this.#open(settings, () => shared)),
      updated: Promise.resolve(),
      writers: new Set(),
    }
    this.#shared.set(key, shared)
    return shared
  }

  async #open(settings: WriterSettings, shared: () => Shared): Promise<Entry> {
    const { log, path, workers } = this.#options
    const { connection, branch, committer, signingKey, provider } = settings
    const signer =
      signingKey === undefined ? undefined : await SshSigner.open({ ...signingKey, path })
    const { history } = shared()
    const lease = workers.acquire({
      account: provider,
      connection,
      branch,
      committer,
      log: log.with({ repository: canonicalUrl(connection.url) }),
      path,
      ...(signer && { sign: (payload: Buffer) => signer.sign(payload) }),
      seen: history.seen,
      onForeignChange: () => {
        history.foreignChanges += 1
        for (const listener of [...shared().writers]) listener.onForeignChange()
      },
      onState: () => {
        for (const listener of [...shared().writers]) listener.onState()
      },
      onPushed: (times) => {
        for (const listener of [...shared().writers]) listener.onPushed?.(times)
      },
    })
    const commit = commitDigest(settings)
    return { commit, connection: connectionDigest(settings), lease, signer }
  }

  #update(shared: Shared, settings: WriterSettings): Promise<void> {
    const update = shared.updated.then(() => this.#bringUpToDate(shared, settings))
    shared.updated = update.catch(() => undefined)
    return update
  }

  async #bringUpToDate(shared: Shared, settings: WriterSettings): Promise<void> {
    // A worker that could not be started is started again, because the new settings may be valid.
    const entry = await shared.entry.catch(() => undefined)
    if (entry?.commit !== commitDigest(settings)) {
      const ended = entry === undefined ? Promise.resolve() : close(entry, shared.history)
      shared.entry = ended.then(() => this.#open(settings, () => shared))
      for (const listener of [...shared.writers]) listener.onReplaced()
      await shared.entry
      return
    }
    const connection = connectionDigest(settings)
    if (entry.connection === connection) return
    entry.connection = connection
    await entry.lease.worker.reconnect(settings.connection)
  }

  async #leave(key: string, shared: Shared, listener: WriterListener): Promise<void> {
    if (!shared.writers.delete(listener) || shared.writers.size > 0) return
    this.#shared.delete(key)
    const closing = shared.updated
      .then(() => shared.entry)
      .then(
        (entry) => close(entry, shared.history),
        () => undefined,
      )
      .finally(() => {
        if (this.#closing.get(key) === closing) this.#closing.delete(key)
      })
    this.#closing.set(key, closing)
    await closing
  }
}

async function close({ lease, signer }: Entry, history: BranchHistory): Promise<void> {
  await lease.release()
  history.seen = lease.worker.seen
  await signer?.close()
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function commitDigest({ committer, signingKey }: WriterSettings): string {
  return digest([committer, signingKey])
}

function connectionDigest({ connection }: WriterSettings): string {
  return digest(connection)
}

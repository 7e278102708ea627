import { createHash } from 'node:crypto'
import {
  type BranchWorker,
  type BranchWorkers,
  type Connection,
  canonicalUrl,
  type Identity,
  type PushTimes,
  SshSigner,
  type WorkerLease,
  workerKey,
} from '@agents/git'
import type { Logger } from '@agents/log'

/** Everything that a worker needs to know of a GitProvider. */
export interface WriterSettings {
  /** Whose settings they are: those of another provider of the same repository do not replace them. */
  readonly provider: string
  readonly connection: Connection
  readonly branch: string
  readonly committer: Identity
  readonly signingKey: { readonly privateKey: string; readonly passphrase?: string } | undefined
}

export interface WriterListener {
  onForeignChange(): void
  onState(): void
  /** For this one or for others that share the branch. */
  onPushed?(times: PushTimes): void
  /** The worker was replaced: what waited in the old one has to be asked for again. */
  onReplaced(): void
}

export interface Writer {
  /** Repository and branch. */
  readonly name: string
  /** Changes when the worker is another one, not when the process is. */
  uid(): Promise<string>
  /** Of the moment; not to be kept. */
  worker(): Promise<BranchWorker>
  update(settings: WriterSettings): Promise<void>
  release(): Promise<void>
}

interface Entry {
  provider: string
  readonly commit: string
  connection: string
  readonly lease: WorkerLease
  readonly signer: SshSigner | undefined
}

interface Shared {
  entry: Promise<Entry>
  /** Everybody who writes, with the settings that he would have. */
  readonly writers: Map<WriterListener, WriterSettings>
}

export interface BranchWritersOptions {
  readonly workers: BranchWorkers
  readonly log: Logger
  /** Where `git` and `ssh` are searched. */
  readonly path: string
}

/**
 * Workers that follow the settings of their provider: new credentials are used at once, a new committer takes a new worker. Where
 * several providers have the same branch it is the first one's, until nobody writes through it any more.
 */
export class BranchWriters {
  readonly #options: BranchWritersOptions
  readonly #shared = new Map<string, Shared>()

  constructor(options: BranchWritersOptions) {
    this.#options = options
  }

  /** Joins the worker of the branch, or starts it; brings it up to date with the settings. */
  async acquire(settings: WriterSettings, listener: WriterListener): Promise<Writer> {
    const key = workerKey(settings.connection.url, settings.branch)
    const shared = this.#shared.get(key) ?? this.#start(key, settings)
    shared.writers.set(listener, settings)
    try {
      await this.#update(shared, settings)
    } catch (error) {
      await this.#leave(key, shared, listener)
      throw error
    }
    return {
      name: key,
      uid: async () => {
        const { provider, commit } = await shared.entry
        return digest([key, provider, commit]).slice(0, 16)
      },
      worker: async () => (await shared.entry).lease.worker,
      update: (next) => {
        shared.writers.set(listener, next)
        return this.#update(shared, next)
      },
      release: () => this.#leave(key, shared, listener),
    }
  }

  #start(key: string, settings: WriterSettings): Shared {
    const shared: Shared = { entry: this.#open(settings, () => shared), writers: new Map() }
    this.#shared.set(key, shared)
    return shared
  }

  async #open(settings: WriterSettings, shared: () => Shared): Promise<Entry> {
    const { log, path, workers } = this.#options
    const { connection, branch, committer, signingKey, provider } = settings
    const signer =
      signingKey === undefined ? undefined : await SshSigner.open({ ...signingKey, path })
    const tell = (what: 'onForeignChange' | 'onState') => (): void => {
      for (const listener of [...shared().writers.keys()]) listener[what]()
    }
    const lease = workers.acquire({
      connection,
      branch,
      committer,
      log: log.with({ repository: canonicalUrl(connection.url) }),
      path,
      ...(signer && { sign: (payload: Buffer) => signer.sign(payload) }),
      onForeignChange: tell('onForeignChange'),
      onState: tell('onState'),
      onPushed: (times) => {
        for (const listener of [...shared().writers.keys()]) listener.onPushed?.(times)
      },
    })
    return {
      provider,
      commit: commitDigest(settings),
      connection: connectionDigest(settings),
      lease,
      signer,
    }
  }

  async #update(shared: Shared, settings: WriterSettings): Promise<void> {
    // One that could not be started is started anew, by whoever comes with settings that may be better.
    const entry = await shared.entry.catch(() => undefined)
    if (entry !== undefined && entry.provider !== settings.provider) {
      if (isInUse(shared, entry)) return
      entry.provider = settings.provider
    }
    if (entry?.commit !== commitDigest(settings)) {
      const ended = entry === undefined ? Promise.resolve() : close(entry)
      shared.entry = ended.then(() => this.#open(settings, () => shared))
      for (const listener of [...shared.writers.keys()]) listener.onReplaced()
      await shared.entry
      return
    }
    const connection = connectionDigest(settings)
    if (entry.connection === connection) return
    entry.connection = connection
    await entry.lease.worker.reconnect(settings.connection)
  }

  async #leave(key: string, shared: Shared, listener: WriterListener): Promise<void> {
    if (!shared.writers.delete(listener)) return
    if (shared.writers.size === 0) {
      this.#shared.delete(key)
      await shared.entry.then(close, () => undefined)
      return
    }
    const entry = await shared.entry.catch(() => undefined)
    const [heir] = shared.writers.values()
    if (entry === undefined || heir === undefined || isInUse(shared, entry)) return
    // Who leaves does not care for what the others cannot start; their own next update tells them.
    await this.#update(shared, heir).catch(() => undefined)
  }
}

const isInUse = ({ writers }: Shared, { provider }: Entry): boolean =>
  [...writers.values()].some((settings) => settings.provider === provider)

const close = async ({ lease, signer }: Entry): Promise<void> => {
  await lease.release()
  await signer?.close()
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')

const commitDigest = ({ committer, signingKey }: WriterSettings): string =>
  digest([committer, signingKey])

const connectionDigest = ({ connection }: WriterSettings): string => digest(connection)

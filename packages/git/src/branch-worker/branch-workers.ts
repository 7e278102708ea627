import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { canonicalUrl } from '../remote-url/canonical-url.ts'
import { BranchWorker, type BranchWorkerOptions } from './branch-worker.ts'

export interface WorkerLease {
  readonly worker: BranchWorker
  /** Gives the worker up; it ends with its last holder. */
  release(): Promise<void>
}

interface AcquireOptions extends Omit<BranchWorkerOptions, 'directory'> {
  /** Who writes. Others have a worker of their own for the same branch, with their own credentials. */
  readonly account: string
}

interface Shared {
  readonly worker: BranchWorker
  readonly holders: Set<AcquireOptions>
}

/**
 * One worker for each account, repository and branch, however the repository's URL is spelled. The settings are those
 * of its first holder; every holder is notified of foreign changes and of the worker's state.
 */
export class BranchWorkers {
  readonly #directory: string
  readonly #shared = new Map<string, Shared>()

  /** Below the directory each worker has one of its own. */
  constructor(directory: string) {
    this.#directory = directory
  }

  acquire(options: AcquireOptions): WorkerLease {
    const key = `${workerKey(options.connection.url, options.branch)} ${options.account}`
    const shared = this.#shared.get(key) ?? this.#start(key, options)
    shared.holders.add(options)
    return {
      worker: shared.worker,
      release: async () => {
        if (!shared.holders.delete(options) || shared.holders.size > 0) return
        this.#shared.delete(key)
        await shared.worker.close()
      },
    }
  }

  async close(): Promise<void> {
    const all = [...this.#shared.values()]
    this.#shared.clear()
    await Promise.all(all.map(({ worker }) => worker.close()))
  }

  #start(key: string, options: AcquireOptions): Shared {
    const holders = new Set<AcquireOptions>()
    const worker = new BranchWorker({
      ...options,
      directory: join(this.#directory, directoryName(key)),
      onForeignChange: (move) => {
        for (const { onForeignChange } of holders) onForeignChange?.(move)
      },
      onState: () => {
        for (const { onState } of holders) onState?.()
      },
    })
    const shared = { worker, holders }
    this.#shared.set(key, shared)
    return shared
  }
}

/** The name of a branch, however the URL of its repository is spelled. */
export function workerKey(url: string, branch: string): string {
  return `${canonicalUrl(url)}#${branch}`
}

function directoryName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

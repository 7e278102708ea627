import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Journal, JournalRecord } from './journal.ts'
import { packRecords, unpackRecords } from './record-batch.ts'
import type { StoredObject } from './revisioned-store.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './sqlite-protocol.ts'
import { StorageFullError, StoreLockedError } from './store-error.ts'

interface OpenedJournal {
  readonly journal: Journal
  readonly revision: number
  readonly objects: readonly StoredObject[]
}

/** Starts the storage thread and loads the objects. Throws StoreLockedError, or another error if opening fails. */
export function openSqliteJournal(settings: WorkerSettings): Promise<OpenedJournal> {
  const worker = startWorker(settings)
  return new Promise((resolve, reject) => {
    const journal = new SqliteJournal(worker)
    const objects: StoredObject[] = []
    journal.broken.then(reject, reject)
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'loaded') objects.push(...unpackRecords(message.batch).map(ownBytes))
      else if (message.type === 'ready') resolve({ journal, revision: message.revision, objects })
      else if (message.type === 'refused') reject(refusal(settings.directory, message))
      else journal.settle(message.full)
    })
  })
}

// The thread gets neither flags nor environment of the main thread, since preloaded modules would slow down its start.
// It gets the compile cache, without which it takes twice the time and 25 MB more to compile TypeScript.
function startWorker(workerData: WorkerSettings): Worker {
  const cache = getCompileCacheDir()
  return new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
    name: 'store',
    workerData,
    execArgv: [],
    // Node returns the directory of its own version inside of the one that is set.
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
  })
}

class SqliteJournal implements Journal {
  readonly broken: Promise<Error>
  readonly #worker: Worker
  #committing: PromiseWithResolvers<ReadonlyMap<number, Error>> | undefined
  #closing = false

  constructor(worker: Worker) {
    this.#worker = worker
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.broken = promise
    const breakDown = (error: Error) => {
      this.#committing?.reject(error)
      this.#committing = undefined
      resolve(error)
    }
    worker.on('error', (error) =>
      breakDown(error instanceof Error ? error : new Error(String(error))),
    )
    worker.on('exit', (code) => {
      if (!this.#closing) breakDown(new Error(`the storage thread exited with code ${code}`))
    })
  }

  commit(records: readonly JournalRecord[]): Promise<ReadonlyMap<number, Error>> {
    this.#committing = Promise.withResolvers()
    const batch = packRecords(records)
    this.#worker.postMessage({ type: 'commit', batch } satisfies ToWorker, [batch.data.buffer])
    return this.#committing.promise
  }

  settle(full: readonly number[]): void {
    const failures = full.map((index): [number, Error] => [
      index,
      new StorageFullError('no space left on the disk of the API server'),
    ])
    this.#committing?.resolve(new Map(failures))
    this.#committing = undefined
  }

  async close(): Promise<void> {
    // The id of a thread that has exited is -1.
    if (this.#worker.threadId === -1) return
    this.#closing = true
    const ended = once(this.#worker, 'exit')
    this.#worker.postMessage({ type: 'close' } satisfies ToWorker)
    await ended
  }
}

// Copied, since a view would keep the whole batch in memory.
function ownBytes({ key, revision, json = new Uint8Array() }: JournalRecord): StoredObject {
  const bytes = Buffer.allocUnsafeSlow(json.length)
  bytes.set(json)
  return { key, revision, json: bytes }
}

function refusal(directory: string, { reason, message }: FromWorker & { type: 'refused' }): Error {
  if (reason === 'locked') {
    return new StoreLockedError(`${directory} is in use by another process`)
  }
  if (reason === 'corrupt') {
    return new Error(
      `${directory}/objects.db is corrupt (${message}): restore it from a backup, or delete it to start empty`,
    )
  }
  return new Error(`cannot open the store in ${directory}: ${message}`)
}

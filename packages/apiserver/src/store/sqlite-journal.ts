import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Journal, JournalRecord } from './journal.ts'
import { packRecords, unpackRecords } from './record-batch.ts'
import type { StoredObject } from './revisioned-store.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './sqlite-protocol.ts'
import { StorageFullError, StoreLockedError } from './store-error.ts'

export interface OpenedJournal {
  readonly journal: Journal
  readonly revision: number
  readonly objects: readonly StoredObject[]
}

/** Starts the disk thread and brings what it holds. Throws StoreLockedError and whatever else keeps it from opening. */
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

// Neither flags nor environment of the main thread, as preloaded modules would only cost start-up. The compile cache
// is passed on when there is one: without it the thread needs twice the time and 25 MB more, to compile TypeScript.
function startWorker(workerData: WorkerSettings): Worker {
  const cache = getCompileCacheDir()
  return new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
    name: 'store',
    workerData,
    execArgv: [],
    // The directory that Node names is the one for its own version, inside the one to be set.
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
      if (!this.#closing) breakDown(new Error(`the disk thread ended with code ${code}`))
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
      new StorageFullError('no room left on the disk of the store'),
    ])
    this.#committing?.resolve(new Map(failures))
    this.#committing = undefined
  }

  async close(): Promise<void> {
    // A thread that has ended has no id.
    if (this.#worker.threadId === -1) return
    this.#closing = true
    const ended = once(this.#worker, 'exit')
    this.#worker.postMessage({ type: 'close' } satisfies ToWorker)
    await ended
  }
}

// A view would keep its whole batch alive for as long as the one object.
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
      `${directory}/objects.db is damaged (${message}): restore it, or remove it to start empty`,
    )
  }
  return new Error(`cannot open the store in ${directory}: ${message}`)
}

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { JournalRecord } from './journal.ts'
import { isStorageFull } from './sqlite-error.ts'

const formatVersion = 1
const pageBytes = 4096

/** The current objects and the revision in a SQLite file, which one process can open at a time. Every call blocks. */
export class ObjectDatabase {
  readonly #database: DatabaseSync
  readonly #put: StatementSync
  readonly #delete: StatementSync
  readonly #setRevision: StatementSync
  #pagesInLog = 0

  constructor(directory: string, maxBytes?: number) {
    this.#database = openLocked(directory)
    if (maxBytes !== undefined) {
      this.#database.exec(
        `PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`,
      )
    }
    this.#put = this.#database.prepare(
      `INSERT INTO object (key, revision, value) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, value = excluded.value`,
    )
    this.#delete = this.#database.prepare('DELETE FROM object WHERE key = ?')
    this.#setRevision = this.#database.prepare("UPDATE meta SET value = ? WHERE name = 'revision'")
  }

  get revision(): number {
    return Number(
      this.#database.prepare("SELECT value FROM meta WHERE name = 'revision'").get()?.value,
    )
  }

  /** Estimated bytes in the write-ahead log that are not yet in the main file. */
  get pagesInLog(): number {
    return this.#pagesInLog
  }

  *objects(): Generator<JournalRecord, undefined> {
    const rows = this.#database.prepare('SELECT key, revision, value FROM object ORDER BY id')
    for (const { key, revision, value } of rows.iterate()) {
      yield { key: String(key), revision: Number(revision), json: value as Uint8Array }
    }
  }

  /**
   * Writes all records in one transaction or, if the disk is full, one by one, since some of them may fit. Returns the
   * errors of those that were not written. Throws for any other disk error.
   */
  commit(records: readonly JournalRecord[]): Map<number, Error> {
    const failures = new Map<number, Error>()
    const error = this.#transact(records)
    if (error === undefined) return failures
    // A checkpoint of the log may free enough space.
    this.checkpoint()
    const failedKeys = new Map<string, Error>()
    for (const [index, record] of records.entries()) {
      // A record that follows a failed one of the same key is based on a value that was not written.
      const failure = failedKeys.get(record.key) ?? this.#transact([record])
      if (failure === undefined) continue
      failures.set(index, failure)
      failedKeys.set(record.key, failure)
    }
    return failures
  }

  /**
   * Copies the log to the main file, so that the log can be reused. Does not block, and gives up if the disk is full.
   */
  checkpoint(): void {
    this.#pagesInLog = 0
    try {
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      if (!isStorageFull(error)) throw error
    }
  }

  close(): void {
    this.#database.close()
  }

  /** Returns the error if the disk is full. Nothing is written then. */
  #transact(records: readonly JournalRecord[]): Error | undefined {
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      for (const record of records) this.#execute(record)
      this.#setRevision.run(records.at(-1)?.revision ?? 0)
      this.#pagesInLog++
      this.#database.exec('COMMIT')
      return undefined
    } catch (error) {
      if (!(error instanceof Error && isStorageFull(error))) throw error
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      return error
    }
  }

  #execute({ key, revision, json }: JournalRecord): void {
    if (json === undefined) this.#delete.run(key)
    else this.#put.run(key, revision, json)
    this.#pagesInLog += 1 + Math.ceil((json?.length ?? 0) / pageBytes)
  }
}

function openLocked(directory: string): DatabaseSync {
  const path = join(directory, 'objects.db')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  createPrivately(path)
  syncDirectory(directory)
  const database = new DatabaseSync(path, { timeout: 250 })
  try {
    // The exclusive lock keeps out a second process. The system releases it however this process ends.
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA page_size = ${pageBytes};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = ${16 * 1024 * 1024};
    `)
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version > formatVersion) {
    throw new Error(
      `the data was written by a newer release (format ${version}, this release supports ${formatVersion})`,
    )
  }
  // Immediate, so that the lock is acquired even if there is nothing to create.
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS object (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, value BLOB NOT NULL
    );
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT OR IGNORE INTO meta VALUES ('revision', 1);
    PRAGMA user_version = ${formatVersion};
    COMMIT;
  `)
}

// SQLite creates its other files with the mode of this one, which must therefore exist before. An existing file must
// not be opened here, because closing it would release the lock of another store of this process.
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    chmodSync(path, 0o600)
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

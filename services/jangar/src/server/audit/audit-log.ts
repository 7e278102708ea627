import { type Clock, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { type Act, type AuditEntry, chained } from './audit-entry.ts'

interface AuditLogOptions {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly log: Logger
}

interface Waiting {
  readonly act: Act
  readonly done: () => void
}

/** While the database is away, so many entries wait in memory. */
const mostWaiting = 10_000
const mostAtOnce = 500
const retryMs = 1_000

/** Appends acts to the log in the database, many in one transaction. Any number of processes may write. */
export class AuditLog {
  readonly #options: AuditLogOptions
  readonly #waiting: Waiting[] = []
  readonly #closing = new AbortController()
  #writing: Promise<void> | undefined

  constructor(options: AuditLogOptions) {
    this.#options = options
  }

  /** Resolves when the act is stored. Never rejects. */
  async record(act: Act): Promise<void> {
    if (this.#waiting.length >= mostWaiting) {
      const { request, action, actor } = act
      this.#options.log.error('audit entry lost: too many wait', { request, action, actor })
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ act: storable(act), done: resolve })
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await promise
  }

  /** Stores what waits. What cannot be stored then is lost, and logged. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#writing
  }

  async #write(): Promise<void> {
    const { db, clock, log } = this.#options
    let hasFailed = false
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, mostAtOnce)
      try {
        await append(
          db,
          batch.map(({ act }) => act),
        )
        this.#waiting.splice(0, batch.length)
        for (const { done } of batch) done()
        if (hasFailed) log.info('audit recovered')
        hasFailed = false
      } catch (error) {
        if (this.#closing.signal.aborted) {
          log.error('audit entries lost', { entries: this.#waiting.length, error })
          for (const { done } of this.#waiting.splice(0)) done()
          return
        }
        if (!hasFailed) log.error('audit not written; will be retried', { error })
        hasFailed = true
        await sleep(clock, retryMs, this.#closing.signal)
      }
    }
  }
}

async function append(db: Kysely<Database>, acts: readonly Act[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('audit_head')
      .selectAll()
      .forUpdate()
      .executeTakeFirstOrThrow()
    // The last try may have succeeded although its answer was lost.
    const known = await transaction
      .selectFrom('audit_events')
      .select('request')
      .where(
        'request',
        'in',
        acts.map(({ request }) => request),
      )
      .execute()
    const stored = new Set(known.map(({ request }) => request))
    const entries: AuditEntry[] = []
    let head = { seq: Number(row.seq), hash: row.hash }
    for (const act of acts) {
      if (stored.has(act.request)) continue
      const entry = chained(head, act)
      entries.push(entry)
      head = entry
    }
    if (entries.length === 0) return
    await transaction.insertInto('audit_events').values(entries).execute()
    await transaction.updateTable('audit_head').set({ seq: head.seq, hash: head.hash }).execute()
  })
}

/** As the database returns it: the hash is over exactly what is stored. */
function storable(act: Act): Act {
  return {
    ...act,
    actor: text(act.actor),
    namespace: act.namespace && text(act.namespace),
    name: act.name && text(act.name),
  }
}

function text(given: string): string {
  return given.toWellFormed().replaceAll('\0', '\ufffd').slice(0, 1024).toWellFormed()
}

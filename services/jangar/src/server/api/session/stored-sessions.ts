import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { Logger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database-schema.ts'
import { Caller, type CallerSession } from '../access/caller.ts'
import { ApiError } from '../api-error.ts'
import {
  type BrowserSessions,
  digestOf,
  ended,
  longestIdleMs,
  longestMs,
  mostPerUser,
  type NewSession,
  newSecret,
} from './browser-sessions.ts'

interface StoredSessionsPorts {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly log: Logger
  /** How often sessions with open requests are looked up, if not every 5 seconds. */
  readonly watchMs?: number
}

/** A session that requests of this process belong to. */
interface Attended {
  readonly id: Buffer
  /** One for each request. */
  readonly ends: Set<AbortController>
}

interface Row {
  readonly proof: Buffer
  readonly username: string
  readonly groups: string[]
  readonly expires_at: Date
  readonly is_old: boolean
}

/** So long a use is not written again. */
const noteUseMs = 60_000

/**
 * Sessions of people who signed in at an OpenID provider, in the database: all control planes know them, and one that
 * is ended by any of them is refused by all. The times are those of the database.
 */
export class StoredSessions implements BrowserSessions {
  readonly #ports: StoredSessionsPorts
  readonly #attended = new Map<string, Attended>()
  #cancelWatch: (() => void) | undefined

  constructor(ports: StoredSessionsPorts) {
    this.#ports = ports
  }

  async open(caller: Caller): Promise<NewSession> {
    const person = caller.impersonation()
    if (person === undefined) throw new Error('only people of a provider have stored sessions')
    const [id, proof] = [newSecret(), newSecret()]
    const key = digestOf(id)
    const { user: username, groups = [] } = person
    const { expires_at: expiresAt } = await this.#store((db) =>
      db.transaction().execute(async (open) => {
        // Two sign-ins of one user at a time would both see room for one more.
        await sql`select pg_advisory_xact_lock(hashtext('browser_sessions'), hashtext(${username}))`.execute(
          open,
        )
        await sql`delete from browser_sessions where ${isOver}`.execute(open)
        await sql`delete from browser_sessions where id in (
          select id from browser_sessions where username = ${username}
          order by opened_at desc, id offset ${mostPerUser - 1})`.execute(open)
        return await open
          .insertInto('browser_sessions')
          .values({
            ...{ id: key, proof: digestOf(proof), username, groups: [...groups] },
            expires_at: sql<Date>`now() + ${longestMs} * interval '1 millisecond'`,
          })
          .returning('expires_at')
          .executeTakeFirstOrThrow()
      }),
    )
    const session = this.#sessionOf(key, expiresAt)
    return { id, proof, caller: caller.inSession(session), expiresAt }
  }

  async callerOf(id: string | undefined, proof: string | undefined): Promise<Caller> {
    if (!id || !proof) throw ended()
    const key = digestOf(id)
    const row = await this.#find(key)
    if (row === undefined || !timingSafeEqual(digestOf(proof), row.proof)) throw ended()
    if (row.is_old) await this.#noteUse(key)
    const session = this.#sessionOf(key, row.expires_at)
    return Caller.impersonated(row.username, row.groups, session)
  }

  async endAllOf(username: string): Promise<number> {
    const gone = await this.#store((db) =>
      db.deleteFrom('browser_sessions').where('username', '=', username).returning('id').execute(),
    )
    for (const { id } of gone) this.#abort(id)
    return gone.length
  }

  close(): void {
    this.#cancelWatch?.()
    this.#cancelWatch = undefined
    for (const { id } of [...this.#attended.values()]) this.#abort(id)
  }

  #sessionOf(id: Buffer, expiresAt: Date): CallerSession {
    const end = new AbortController()
    return {
      expiresAt,
      ended: end.signal,
      end: async () => {
        await this.#store((db) => db.deleteFrom('browser_sessions').where('id', '=', id).execute())
        end.abort(sessionEnd())
        this.#abort(id)
      },
      review: async () => {
        const row = await this.#find(id)
        if (row?.is_old) await this.#noteUse(id)
        if (row !== undefined) return
        end.abort(sessionEnd())
        throw ended()
      },
      attend: () => this.#attend(id, end),
    }
  }

  #attend(id: Buffer, end: AbortController): () => void {
    const key = id.toString('base64')
    const attended = this.#attended.get(key) ?? { id, ends: new Set() }
    this.#attended.set(key, attended)
    attended.ends.add(end)
    this.#watch()
    return () => {
      attended.ends.delete(end)
      if (attended.ends.size === 0 && this.#attended.get(key) === attended) {
        this.#attended.delete(key)
      }
    }
  }

  /** Ends requests of sessions that another control plane has ended. */
  #watch(): void {
    const { clock, log, watchMs = 5_000 } = this.#ports
    this.#cancelWatch ??= clock.after(watchMs, () => {
      const look = async (): Promise<void> => {
        const known = [...this.#attended.values()].map(({ id }) => id)
        const open = await this.#openOf(known)
        for (const id of known) if (!open.has(id.toString('base64'))) this.#abort(id)
      }
      look()
        // An outage of the database does not sign people out.
        .catch((error: unknown) => log.warn('sessions not looked up', { error }))
        .finally(() => {
          if (this.#cancelWatch === undefined) return
          this.#cancelWatch = undefined
          if (this.#attended.size > 0) this.#watch()
        })
    })
  }

  async #openOf(ids: readonly Buffer[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set()
    const rows = await this.#store((db) =>
      db
        .selectFrom('browser_sessions')
        .select('id')
        .where('id', 'in', ids)
        // A request that is open is a use.
        .where(sql<boolean>`expires_at > now()`)
        .execute(),
    )
    return new Set(rows.map(({ id }) => id.toString('base64')))
  }

  async #find(id: Buffer): Promise<Row | undefined> {
    const { rows } = await this.#store((db) =>
      sql<Row>`
        select proof, username, groups, expires_at,
          used_at < now() - ${noteUseMs} * interval '1 millisecond' as is_old
        from browser_sessions where id = ${id} and not (${isOver})`.execute(db),
    )
    return rows[0]
  }

  async #noteUse(id: Buffer): Promise<void> {
    await this.#store((db) =>
      db
        .updateTable('browser_sessions')
        .set({ used_at: sql`now()` })
        .where('id', '=', id)
        .execute(),
    )
  }

  #abort(id: Buffer): void {
    const key = id.toString('base64')
    const attended = this.#attended.get(key)
    this.#attended.delete(key)
    for (const end of attended?.ends ?? []) end.abort(sessionEnd())
  }

  async #store<T>(ask: (db: Kysely<Database>) => Promise<T>): Promise<T> {
    return await ask(this.#ports.db).catch((error: unknown) => {
      this.#ports.log.warn('sessions not available', { error })
      const options = { cause: error, retryAfterMs: 5_000 }
      throw new ApiError('Unavailable', 'the sessions cannot be read now; try again', options)
    })
  }
}

const isOver = sql<boolean>`(expires_at <= now()
  or used_at <= now() - ${longestIdleMs} * interval '1 millisecond')`

function sessionEnd(): Error {
  return new Error('the session has ended')
}

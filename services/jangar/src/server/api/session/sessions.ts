import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { Caller, CallerSession } from '../access/caller.ts'
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

interface SessionsOptions {
  readonly clock: Clock
  /** Asks the cluster again who the caller is. Throws if it no longer accepts the token. */
  readonly review: (caller: Caller) => Promise<Caller>
}

interface Entry {
  /** As of the sign-in. */
  readonly caller: Caller
  readonly proof: Buffer
  readonly session: CallerSession
  idleFrom: number
}

const mostOfAll = 5_000

/**
 * The sessions of browsers. They live in this process, hold the tokens of their users, and act with these: a session
 * can do what the token can do, as long as the token can do it.
 */
export class Sessions implements BrowserSessions {
  readonly #options: SessionsOptions
  /** By the digest of the id, in the order in which they were opened. */
  readonly #entries = new Map<string, Entry>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  async open(caller: Caller): Promise<NewSession> {
    const { clock } = this.#options
    this.#makeRoom(caller)
    const [id, proof] = [newSecret(), newSecret()]
    const key = digestOf(id).toString('base64')
    const now = clock.now().getTime()
    const tokenMs = (caller.tokenExpiry()?.getTime() ?? Number.POSITIVE_INFINITY) - now
    const ms = Math.min(longestMs, tokenMs)
    if (ms <= 0) throw ended()
    const end = new AbortController()
    const cancel = clock.after(ms, () => void session.end())
    const endsAt = clock.elapsed() + ms
    const session: CallerSession = {
      expiresAt: new Date(now + ms),
      ended: end.signal,
      end: async () => {
        cancel()
        this.#entries.delete(key)
        end.abort(new Error('the session has ended'))
      },
      attend: () => () => undefined,
      review: async () => {
        const entry = this.#entries.get(key)
        if (entry === undefined || clock.elapsed() >= endsAt) throw ended()
        const after = await this.#options.review(caller)
        if (!after.isSameUser(caller)) throw ended()
        entry.idleFrom = clock.elapsed()
      },
    }
    const entry = { caller, proof: digestOf(proof), session, idleFrom: clock.elapsed() }
    this.#entries.set(key, entry)
    return { id, proof, caller: caller.inSession(session), expiresAt: session.expiresAt }
  }

  async callerOf(id: string | undefined, proof: string | undefined): Promise<Caller> {
    const entry = id && this.#entries.get(digestOf(id).toString('base64'))
    if (!entry || !proof || !timingSafeEqual(digestOf(proof), entry.proof)) throw ended()
    const { session, caller } = entry
    if (this.#isIdle(entry)) {
      await session.end()
      throw ended()
    }
    await session.review().catch(async (error: unknown) => {
      // An outage of the cluster does not sign people out.
      if (error instanceof ApiError && error.code === 'Unauthenticated') await session.end()
      throw error
    })
    return caller.inSession(session)
  }

  async endAllOf(username: string): Promise<number> {
    const own = [...this.#entries.values()].filter(({ caller }) => caller.username === username)
    for (const { session } of own) await session.end()
    return own.length
  }

  close(): void {
    for (const { session } of [...this.#entries.values()]) void session.end()
  }

  #isIdle({ idleFrom }: Entry): boolean {
    return this.#options.clock.elapsed() - idleFrom >= longestIdleMs
  }

  #makeRoom(user: Caller): void {
    for (const entry of [...this.#entries.values()]) {
      if (this.#isIdle(entry)) void entry.session.end()
    }
    const own = [...this.#entries.values()].filter(({ caller }) => caller.isSameUser(user))
    if (own.length >= mostPerUser) void own[0]?.session.end()
    if (this.#entries.size < mostOfAll) return
    throw new ApiError('TooManyRequests', 'too many sessions are open; try again later', {
      retryAfterMs: 60_000,
    })
  }
}

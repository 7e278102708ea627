import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { Caller, CallerSession } from '../access/caller.ts'
import { ApiError } from '../api-error.ts'

interface SessionsOptions {
  readonly clock: Clock
  /** Asks the cluster again who the caller is. Throws if it no longer accepts the token. */
  readonly review: (caller: Caller) => Promise<Caller>
}

/** What a browser needs for its requests. */
interface NewSession {
  /** For the cookie, which no script sees. */
  readonly id: string
  /**
   * For a header. Browsers send cookies to every port of a host, and keep what scripts store for each port: a server on
   * another port may learn the id, but not this.
   */
  readonly proof: string
  readonly caller: Caller
  readonly expiresAt: Date
}

interface Entry {
  /** As of the sign-in. */
  readonly caller: Caller
  readonly proof: Buffer
  readonly session: CallerSession
  idleFrom: number
}

const longestMs = 12 * 60 * 60_000
const longestIdleMs = 60 * 60_000
const mostPerUser = 20
const mostOfAll = 5_000

export const sessionSeconds = longestMs / 1000

/**
 * The sessions of browsers. They live in this process, hold the tokens of their users, and act with these: a session
 * can do what the token can do, as long as the token can do it.
 */
export class Sessions {
  readonly #options: SessionsOptions
  /** By the digest of the id, in the order in which they were opened. */
  readonly #entries = new Map<string, Entry>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  open(caller: Caller): NewSession {
    const { clock } = this.#options
    this.#makeRoom(caller)
    const [id, proof] = [
      randomBytes(32).toString('base64url'),
      randomBytes(32).toString('base64url'),
    ]
    const key = digestOf(id).toString('base64')
    const now = clock.now().getTime()
    const tokenMs = (caller.tokenExpiry()?.getTime() ?? Number.POSITIVE_INFINITY) - now
    const ms = Math.min(longestMs, tokenMs)
    if (ms <= 0) throw ended()
    const end = new AbortController()
    const cancel = clock.after(ms, () => session.end())
    const endsAt = clock.elapsed() + ms
    const session: CallerSession = {
      expiresAt: new Date(now + ms),
      ended: end.signal,
      end: () => {
        cancel()
        this.#entries.delete(key)
        end.abort(new Error('the session has ended'))
      },
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

  /** Who the session is of. Throws `Unauthenticated` if it is not open, or the proof is that of another one. */
  async callerOf(id: string | undefined, proof: string | undefined): Promise<Caller> {
    const entry = id && this.#entries.get(digestOf(id).toString('base64'))
    if (!entry || !proof || !timingSafeEqual(digestOf(proof), entry.proof)) throw ended()
    const { session, caller } = entry
    if (this.#isIdle(entry)) {
      session.end()
      throw ended()
    }
    await session.review().catch((error: unknown) => {
      // An outage of the cluster does not sign people out.
      if (error instanceof ApiError && error.code === 'Unauthenticated') session.end()
      throw error
    })
    return caller.inSession(session)
  }

  /** Ends all sessions of the user. Returns how many there were. */
  endAllOf(user: Caller): number {
    const own = [...this.#entries.values()].filter(({ caller }) => caller.isSameUser(user))
    for (const { session } of own) session.end()
    return own.length
  }

  close(): void {
    for (const { session } of [...this.#entries.values()]) session.end()
  }

  #isIdle({ idleFrom }: Entry): boolean {
    return this.#options.clock.elapsed() - idleFrom >= longestIdleMs
  }

  #makeRoom(user: Caller): void {
    for (const entry of [...this.#entries.values()]) {
      if (this.#isIdle(entry)) entry.session.end()
    }
    const own = [...this.#entries.values()].filter(({ caller }) => caller.isSameUser(user))
    if (own.length >= mostPerUser) own[0]?.session.end()
    if (this.#entries.size < mostOfAll) return
    throw new ApiError('TooManyRequests', 'too many sessions are open; try again later', {
      retryAfterMs: 60_000,
    })
  }
}

function ended(): ApiError {
  return new ApiError('Unauthenticated', 'the session has ended; sign in again', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../access/caller.ts'
import { ApiError } from '../api-error.ts'

/** What a browser needs for its requests. */
export interface NewSession {
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

/** The sessions of browsers. */
export interface BrowserSessions {
  open(caller: Caller): Promise<NewSession>
  /** Who the session is of. Throws `Unauthenticated` if it is not open, or the proof is that of another one. */
  callerOf(id: string | undefined, proof: string | undefined): Promise<Caller>
  /** Ends all sessions of the user. Resolves to how many there were. */
  endAllOf(username: string): Promise<number>
  close(): void
}

export const longestMs = 12 * 60 * 60_000
export const longestIdleMs = 60 * 60_000
export const mostPerUser = 20

export const sessionSeconds = longestMs / 1000

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export function ended(): ApiError {
  return new ApiError('Unauthenticated', 'the session has ended; sign in again', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { Caller } from '../access/caller.ts'

interface OneTimeCode {
  readonly code: string
  readonly expiresAt: Date
}

/** Long enough for a browser to start. */
const validForMs = 60_000
const mostPerUser = 10
const mostOfAll = 1_000

/** Codes with which a browser takes over the identity of a caller once. Only their digests are kept. */
export class OneTimeCodes {
  readonly #clock: Clock
  /** In the order in which they were made. */
  readonly #open = new Map<string, { readonly caller: Caller; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  mint(caller: Caller): OneTimeCode {
    this.#drop(caller)
    const code = randomBytes(32).toString('base64url')
    this.#open.set(digestOf(code), { caller, until: this.#clock.elapsed() + validForMs })
    return { code, expiresAt: new Date(this.#clock.now().getTime() + validForMs) }
  }

  /** Who the code was made for. The code stays valid. */
  ownerOf(code: string): Caller | undefined {
    const found = this.#open.get(digestOf(code))
    return found !== undefined && found.until > this.#clock.elapsed() ? found.caller : undefined
  }

  /** Who the code was made for. The code is used up. */
  take(code: string): Caller | undefined {
    const caller = this.ownerOf(code)
    this.#open.delete(digestOf(code))
    return caller
  }

  /** Makes room for one more. */
  #drop(caller: Caller): void {
    const now = this.#clock.elapsed()
    const own: string[] = []
    for (const [digest, { until, caller: owner }] of this.#open) {
      if (until <= now) this.#open.delete(digest)
      else if (owner.isSameUser(caller)) own.push(digest)
    }
    const [oldestOwn] = own
    if (own.length >= mostPerUser && oldestOwn !== undefined) this.#open.delete(oldestOwn)
    const [oldest] = this.#open.keys()
    if (this.#open.size >= mostOfAll && oldest !== undefined) this.#open.delete(oldest)
  }
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64')
}

import { createHash } from 'node:crypto'
import type { Clock } from '@agents/controller'
import { type Connection, type GitErrorCode, inspectRemote, isGitError } from '@agents/git'

interface ReachabilityOptions {
  readonly clock: Pick<Clock, 'elapsed'>
  /** Search path for `git` and `ssh`. */
  readonly path: string
  /** If omitted, asks the server. */
  readonly inspect?: typeof inspectRemote
  /** Numbers from 0 to 1. If omitted, random ones. */
  readonly random?: () => number
}

interface Answer {
  /** Of the connection. */
  readonly digest: string
  /** When the repository is checked again, in milliseconds of the clock. */
  readonly expiresAt: number
  /** Whether the last check failed. */
  readonly isDoubtful: boolean
}

/** As often as a mirror asks whether its branch has moved, by default. */
const intervalMs = 300_000
/** Providers that were checked together, as after a restart, are not all checked together again. */
const jitter = 0.2
/** How soon a check that failed for the first time is repeated. */
const retryMs = 30_000

/** Errors that a retry often resolves. */
const temporaryErrors: readonly GitErrorCode[] = ['timeout', 'unreachable']

/** Remembers for a while which repositories were reachable, unless a failure is reported. */
export class Reachability {
  readonly #options: ReachabilityOptions
  readonly #answers = new Map<string, Answer>()

  constructor(options: ReachabilityOptions) {
    this.#options = options
  }

  /**
   * Returns the milliseconds until the next check. Throws a GitError if the repository cannot be read; of a repository
   * that could be read before, only if a retry fails too or cannot help.
   */
  async check(provider: string, connection: Connection, signal: AbortSignal): Promise<number> {
    const { clock, path, inspect = inspectRemote, random = Math.random } = this.#options
    const digest = createHash('sha256').update(JSON.stringify(connection)).digest('hex')
    const known = this.#answers.get(provider)
    const isSame = known?.digest === digest
    if (isSame && clock.elapsed() < known.expiresAt) return known.expiresAt - clock.elapsed()
    const remember = (waitMs: number, isDoubtful: boolean): number => {
      this.#answers.set(provider, { digest, expiresAt: clock.elapsed() + waitMs, isDoubtful })
      return waitMs
    }
    try {
      await inspect(connection, { path, signal, timeoutMs: 30_000 })
    } catch (error) {
      // A failure may have been reported meanwhile.
      const isTrusted = isSame && !known.isDoubtful && this.#answers.get(provider) === known
      const isTemporary = isGitError(error) && temporaryErrors.includes(error.code)
      if (isTrusted && isTemporary) return remember(retryMs, true)
      this.#answers.delete(provider)
      throw error
    }
    return remember(Math.round(intervalMs * (1 + jitter * random())), false)
  }

  /** Forgets the result after a failure. Returns whether the repository counted as reachable. */
  forget(provider: string): boolean {
    return this.#answers.delete(provider)
  }
}

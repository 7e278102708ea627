import { createHash } from 'node:crypto'
import { type Connection, inspectRemote } from '@agents/git'

/** Which repositories have answered, so that nobody asks them again while nothing speaks against it. */
export class Reachability {
  readonly #path: string
  readonly #answered = new Map<string, string>()

  /** Where `git` and `ssh` are searched. */
  constructor(path: string) {
    this.#path = path
  }

  /** Throws a GitError when the repository does not answer, or not to us. */
  async check(provider: string, connection: Connection, signal: AbortSignal): Promise<void> {
    const digest = createHash('sha256').update(JSON.stringify(connection)).digest('hex')
    if (this.#answered.get(provider) === digest) return
    this.#answered.delete(provider)
    await inspectRemote(connection, { path: this.#path, signal, timeoutMs: 30_000 })
    this.#answered.set(provider, digest)
  }

  /** Something went wrong with it since. Whether it counted as answering until now. */
  forget(provider: string): boolean {
    return this.#answered.delete(provider)
  }
}

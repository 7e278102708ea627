import { createHash } from 'node:crypto'
import { type Connection, inspectRemote } from '@agents/git'

/** Remembers which repositories were reachable, so that they are not checked again until a failure is reported. */
export class Reachability {
  readonly #path: string
  readonly #answered = new Map<string, string>()

  /** `path` is the search path for `git` and `ssh`. */
  constructor(path: string) {
    this.#path = path
  }

  /** Throws a GitError if the repository cannot be read. */
  async check(provider: string, connection: Connection, signal: AbortSignal): Promise<void> {
    const digest = createHash('sha256').update(JSON.stringify(connection)).digest('hex')
    if (this.#answered.get(provider) === digest) return
    this.#answered.delete(provider)
    await inspectRemote(connection, { path: this.#path, signal, timeoutMs: 30_000 })
    this.#answered.set(provider, digest)
  }

  /** Forgets the result after a failure. Returns whether the repository counted as reachable. */
  forget(provider: string): boolean {
    return this.#answered.delete(provider)
  }
}

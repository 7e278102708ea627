import type { CompletedWrite } from '@agents/apiserver'

/** Far more writes than a mirror has pending; about 2 MiB. */
const mostWrites = 20_000

/** Remembers which user made each of the last writes, by the resource version of the written object. */
export class WriteUsers {
  readonly #users = new Map<string, string>()

  readonly record = ({ revision, user }: CompletedWrite): void => {
    this.#users.set(String(revision), user.name)
    if (this.#users.size <= mostWrites) return
    const [oldest] = this.#users.keys()
    if (oldest !== undefined) this.#users.delete(oldest)
  }

  /** Undefined if the write is too old, or was made by an earlier process. */
  readonly userOf = (resourceVersion: string): string | undefined =>
    this.#users.get(resourceVersion)
}

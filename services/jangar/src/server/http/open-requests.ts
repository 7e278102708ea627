import { ApiError } from '../api/api-error.ts'

/** Of all requests, waits and streams included. */
const mostPerUser = 200

/** Counts the requests of each user that are not answered yet, so that one user cannot take all connections. */
export class OpenRequests {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most = mostPerUser) {
    this.#most = most
  }

  /** Returns what is to be called when the request is answered. Throws if the user has too many. */
  take(user: string | undefined): () => void {
    if (user === undefined) return () => undefined
    const count = this.#counts.get(user) ?? 0
    if (count >= this.#most) {
      throw new ApiError('TooManyRequests', `${user} has ${count} open requests; wait for some`, {
        retryAfterMs: 1000,
      })
    }
    this.#counts.set(user, count + 1)
    return () => {
      const left = (this.#counts.get(user) ?? 1) - 1
      if (left > 0) this.#counts.set(user, left)
      else this.#counts.delete(user)
    }
  }
}

import type { UserInfo } from '../request/user-info.ts'

/** A request that has already been authenticated and authorized. */
export interface ThreadRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array
  readonly user: UserInfo
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number
}

export interface ThreadResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string | readonly string[]])[]
  readonly body: Uint8Array
}

/** Answers requests that would block the main thread for too long, one after the other. */
export interface RequestThread {
  /**
   * Throws a 413 for a request that takes too much time or memory, and a 429 when too many are queued. A queued request
   * is dropped when `isGone` reports that its client has disconnected.
   */
  answer(request: ThreadRequest, isGone?: () => boolean): Promise<ThreadResponse>
  stop(): Promise<void>
}

import type { Clock } from '@agents/controller'
import type { GitError, GitErrorCode } from '@agents/git'
import { explainGitError } from '../git-provider/explain-git-error.ts'
import type { PushState } from './mirror-state.ts'

/** Most of what goes wrong with a push is over before anybody could read about it. */
const PATIENCE_MS = 10_000
/** How often it is told how many changes wait, while they do. */
const TELL_MS = 10_000

/** These do not get better by themselves. */
const LASTING: readonly GitErrorCode[] = [
  'auth',
  'host-key',
  'certificate',
  'not-found',
  'rejected',
  'refused',
]

export interface PushTrouble {
  readonly message: string
  /** Only a person can help, though it is tried again in case that one has. */
  readonly isStuck: boolean
}

/** What is told of pushes: their outcome, and what waits for longer than a window. */
export class PushReport {
  readonly #clock: Clock
  readonly #onChange: () => void
  #last: { readonly commit: string; readonly time: Date } | undefined
  #failure: string | undefined
  #error: { readonly error: GitError; readonly since: number } | undefined
  #cancel = (): void => undefined
  #tells = false

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** A count that is over in a moment is not told. `isHeld`: nothing is pushed until somebody wants it. */
  state(pendingChanges: number, isHeld: boolean): PushState {
    const lastError = this.#failure ?? (this.#error && explainGitError(this.#error.error))
    return {
      lastCommit: this.#last?.commit,
      lastPushTime: this.#last?.time,
      pendingChanges: lastError === undefined && !isHeld ? 0 : pendingChanges,
      lastError,
    }
  }

  /** Why changes have been waiting for so long that somebody should know. */
  trouble(isWaiting: boolean): PushTrouble | undefined {
    if (this.#error === undefined || !isWaiting) return undefined
    const { error, since } = this.#error
    const isLong = this.#clock.elapsed() - since >= PATIENCE_MS
    const isStuck = LASTING.includes(error.code)
    if (!isLong && !isStuck) return undefined
    return { message: `changes cannot be pushed: ${explainGitError(error)}`, isStuck }
  }

  pushed(commit: string, time: Date): void {
    this.#last = { commit, time }
    this.#failure = undefined
  }

  /** What kept a snapshot or a file from being written; undefined: nothing. */
  failed(message: string | undefined): void {
    this.#failure = message
  }

  worker(error: GitError | undefined): void {
    if (error === this.#error?.error) return
    const isOther = error?.code !== this.#error?.error.code
    this.#cancel()
    if (error === undefined) {
      this.#error = undefined
    } else {
      this.#error = { error, since: this.#error?.since ?? this.#clock.elapsed() }
      const left = this.#error.since + PATIENCE_MS - this.#clock.elapsed()
      if (left > 0) this.#cancel = this.#clock.after(left, this.#onChange)
    }
    if (isOther) this.#onChange()
  }

  /** One more waits. */
  pending(onChange: () => void, isHeld: boolean): void {
    const isStuck = isHeld || this.#error !== undefined || this.#failure !== undefined
    if (this.#tells || !isStuck) return
    this.#tells = true
    this.#clock.after(TELL_MS, () => {
      this.#tells = false
      onChange()
    })
  }

  stop(): void {
    this.#cancel()
  }
}

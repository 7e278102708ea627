import type { Clock } from '@agents/controller'
import type { GitError, GitErrorCode } from '@agents/git'
import { maxRecentCommits } from '@agents/gittarget-api'
import { explainGitError } from '../../repository/explain-git-error.ts'

/** Most push errors are resolved by a retry within this time, so they are not reported earlier. */
const graceMs = 10_000
/** How often the number of pending changes is reported while pushes fail. */
const reportIntervalMs = 10_000

/** Errors that a retry does not resolve. */
const permanentErrors: readonly GitErrorCode[] = [
  'auth',
  'host-key',
  'certificate',
  'not-found',
  'rejected',
  'refused',
]

/** Whether a person has to resolve the error. It is retried all the same. */
export function isPermanent({ code }: GitError): boolean {
  return permanentErrors.includes(code)
}

export interface PushState {
  readonly lastCommit: string | undefined
  readonly lastPushTime: Date | undefined
  /** The commits since the start of the process, newest first, as many as the status may have. */
  readonly recent: readonly PushedCommit[]
  readonly pendingChanges: number
  readonly lastError: string | undefined
}

interface PushedCommit {
  readonly commit: string
  readonly time: Date
}

interface PushProblem {
  readonly message: string
  /** Whether the error needs a person. It is retried all the same. */
  readonly isStuck: boolean
}

/**
 * Collects what the status reports about pushes: the last result, and changes that are pending for longer than a
 * window.
 */
export class PushReport {
  readonly #clock: Clock
  readonly #onChange: () => void
  #recent: readonly PushedCommit[] = []
  #failure: string | undefined
  #error: { readonly error: GitError; readonly since: number } | undefined
  #cancel = (): void => undefined
  #isReportDue = false

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /**
   * Changes that are about to be pushed are not counted. `isHeld`: nothing is pushed, because the target is
   * suspended.
   */
  state(pendingChanges: number, isHeld: boolean): PushState {
    const lastError = this.#failure ?? (this.#error && explainGitError(this.#error.error))
    const [last] = this.#recent
    return {
      lastCommit: last?.commit,
      lastPushTime: last?.time,
      recent: this.#recent,
      pendingChanges: lastError === undefined && !isHeld ? 0 : pendingChanges,
      lastError,
    }
  }

  /** Why changes have been pending for so long that the status should report it. */
  problem(isWaiting: boolean): PushProblem | undefined {
    if (this.#error === undefined || !isWaiting) return undefined
    const { error, since } = this.#error
    const isLong = this.#clock.elapsed() - since >= graceMs
    const isStuck = isPermanent(error)
    if (!isLong && !isStuck) return undefined
    return { message: `changes cannot be pushed: ${explainGitError(error)}`, isStuck }
  }

  pushed(commit: string, time: Date): void {
    const earlier = this.#recent.filter((each) => each.commit !== commit)
    this.#recent = [{ commit, time }, ...earlier].slice(0, maxRecentCommits)
    this.#failure = undefined
  }

  /** Sets the reason why a snapshot or a file could not be written; undefined clears it. */
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
      const left = this.#error.since + graceMs - this.#clock.elapsed()
      if (left > 0) this.#cancel = this.#clock.after(left, this.#onChange)
    }
    if (isOther) this.#onChange()
  }

  /** To be called for each change that becomes pending. */
  pending(onChange: () => void, isHeld: boolean): void {
    const isStuck = isHeld || this.#error !== undefined || this.#failure !== undefined
    if (this.#isReportDue || !isStuck) return
    this.#isReportDue = true
    this.#clock.after(reportIntervalMs, () => {
      this.#isReportDue = false
      onChange()
    })
  }

  stop(): void {
    this.#cancel()
  }
}

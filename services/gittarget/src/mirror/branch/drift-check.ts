import type { Clock } from '@agents/controller'
import { type BranchWorker, type GitError, isGitError } from '@agents/git'
import { explainGitError } from '../../repository/explain-git-error.ts'
import { isPermanent } from './push-report.ts'

/** When to check, and when to check again, in milliseconds of a monotonic clock. */
interface NextCheck {
  readonly isDue: boolean
  readonly again: number
}

interface RunOptions {
  /** 0: never. */
  readonly intervalMs: number
  /** The next check for the sake of files whose obstacles may have been removed; undefined if there are none. */
  readonly blocked: NextCheck | undefined
  worker(): Promise<Pick<BranchWorker, 'refresh'>>
  wakeAt(time: number): void
}

/** How soon a failed check is repeated. */
const retryMs = 60_000

/**
 * Lets an idle mirror ask the server whether the branch has moved, and knows what the status reports if the server
 * cannot be asked.
 */
export class DriftCheck {
  readonly #clock: Pick<Clock, 'elapsed'>
  #checkedAt: number | undefined
  #failure: { readonly error: GitError; readonly count: number } | undefined

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** To be called after each contact with the branch. */
  succeeded(): void {
    this.#checkedAt = this.#clock.elapsed()
    this.#failure = undefined
  }

  /**
   * Asks the server if a check is due, and sets a timer for the next one. Returns whether `problem` has changed. The
   * worker reports a new commit.
   */
  async run({ intervalMs, blocked, worker, wakeAt }: RunOptions): Promise<boolean> {
    const isDue = this.#regular(intervalMs)?.isDue || blocked?.isDue
    // Targets of the same branch share regular checks.
    const maxAgeMs = blocked?.isDue ? 0 : intervalMs / 2
    const hasChanged = isDue === true && (await this.#check(await worker(), maxAgeMs))
    const next = [blocked, this.#regular(intervalMs)].filter((check) => check !== undefined)
    if (next.length > 0) wakeAt(Math.min(...next.map(({ again }) => again)))
    return hasChanged
  }

  #regular(intervalMs: number): NextCheck | undefined {
    if (intervalMs === 0) return undefined
    const elapsed = this.#clock.elapsed()
    this.#checkedAt ??= elapsed
    const wait = this.#failure === undefined ? intervalMs : Math.min(intervalMs, retryMs)
    const due = this.#checkedAt + wait
    return elapsed >= due ? { isDue: true, again: elapsed + wait } : { isDue: false, again: due }
  }

  async #check(worker: Pick<BranchWorker, 'refresh'>, maxAgeMs: number): Promise<boolean> {
    const before = this.problem?.message
    try {
      await worker.refresh(maxAgeMs)
      this.succeeded()
    } catch (error) {
      if (!isGitError(error) || isGitError(error, 'aborted')) throw error
      this.#checkedAt = this.#clock.elapsed()
      this.#failure = { error, count: (this.#failure?.count ?? 0) + 1 }
    }
    return this.problem?.message !== before
  }

  /** Why it is not known whether the branch is as the mirror left it. A retry often repairs a single failure. */
  get problem(): { readonly message: string; readonly isStuck: boolean } | undefined {
    if (this.#failure === undefined) return undefined
    const { error, count } = this.#failure
    const isStuck = isPermanent(error)
    if (count < 2 && !isStuck) return undefined
    return { message: `the branch cannot be checked: ${explainGitError(error)}`, isStuck }
  }
}

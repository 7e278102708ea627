import { rm } from 'node:fs/promises'
import type { Pod } from '@agents/kube'
import {
  type Attempt,
  type AttemptPlace,
  type AttemptSurroundings,
  knownAttempt,
  newAttempt,
} from '../container/attempt.ts'
import {
  type AttemptEnd,
  type AttemptIntent,
  attemptsIn,
  forgetOldAttempts,
  readEnd,
  writeEnd,
} from '../container/attempt-record.ts'
import type { PodFolder } from '../folder/pod-folder.ts'
import { type ContainerView, neverStarted, type WaitingProblem } from './container-view.ts'

export interface HistoryOptions {
  readonly folder: PodFolder
  readonly container: string
  /** Of the pod: what the markers of all its attempts begin with. */
  readonly markerPrefix: string
  readonly around: AttemptSurroundings
  /** Told when an attempt has ended. */
  readonly ended: () => void
}

/** All attempts of one container, as far as they are still of interest. */
export class ContainerHistory {
  readonly #options: HistoryOptions
  #starts = 0
  #current: Attempt | undefined
  #end: AttemptEnd | undefined
  #previousEnd: AttemptEnd | undefined
  #problem: (WaitingProblem & { readonly retryAt: number; readonly tries: number }) | undefined

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  get view(): ContainerView {
    if (this.#starts === 0 && this.#problem === undefined) return neverStarted
    const end = this.#current?.end ?? this.#end
    const isRunning = this.#current !== undefined && this.#current.end === undefined
    return {
      starts: this.#starts,
      ...(isRunning && this.#current && { runningSince: this.#current.startedAt }),
      ...(!isRunning && end !== undefined && { end }),
      ...(this.#previousEnd !== undefined && { previousEnd: this.#previousEnd }),
      ...(this.#problem !== undefined && { problem: this.#problem }),
    }
  }

  get nextNumber(): number {
    return this.#starts
  }

  place(number: number): AttemptPlace {
    const { folder, container, markerPrefix } = this.#options
    return {
      number,
      folder: folder.attempt(container, number),
      marker: `${markerPrefix}/${container}/${number}`,
    }
  }

  /** Finds out what an earlier node did, and goes on with what it left running. */
  async load(pod: Pod): Promise<void> {
    const { folder, container, around, ended } = this.#options
    const numbers = await attemptsIn(folder.attempts(container))
    for (const number of numbers.toReversed()) {
      const place = this.place(number)
      const attempt = await knownAttempt(place, around)
      if (attempt !== undefined && (await attempt.adopt(ended))) {
        this.#starts = number + 1
        this.#current = attempt
        this.#previousEnd = number > 0 ? await readEnd(this.place(number - 1).folder) : undefined
        return
      }
      await rm(place.folder, { recursive: true, force: true })
    }
    await this.#loadFromStatus(pod)
  }

  /** The server knows of attempts that this machine has no trace of: they have ended, nobody knows how. */
  async #loadFromStatus({ status }: Pod): Promise<void> {
    const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    const told = known.find(({ name }) => name === this.#options.container)
    const { running, terminated } = told?.state ?? {}
    if (told === undefined || (running === undefined && terminated === undefined)) return
    const now = this.#options.around.clock.now().toISOString()
    this.#starts = told.restartCount + 1
    this.#end = {
      exitCode: terminated?.exitCode ?? 137,
      reason: terminated?.reason ?? 'ContainerStatusUnknown',
      message:
        terminated?.message ?? 'The container could not be located when the node looked for it',
      startedAt: terminated?.startedAt ?? running?.startedAt ?? now,
      finishedAt: terminated?.finishedAt ?? now,
    }
    await writeEnd(this.place(told.restartCount).folder, this.#end)
  }

  /** A new attempt, on record but not started. */
  async begin(intent: AttemptIntent): Promise<Attempt> {
    const { folder, container, around } = this.#options
    const number = this.#starts
    const attempt = await newAttempt(this.place(number), intent, around)
    this.#advance(attempt)
    await forgetOldAttempts(folder.attempts(container), number)
    return attempt
  }

  /** An attempt that ended before it began. */
  async fail(end: AttemptEnd): Promise<void> {
    await writeEnd(this.place(this.#starts).folder, end)
    this.#advance(undefined)
    this.#end = end
  }

  #advance(attempt: Attempt | undefined): void {
    this.#previousEnd = this.#current?.end ?? this.#end
    this.#starts += 1
    this.#current = attempt
    this.#end = undefined
    this.#problem = undefined
  }

  /** It could not start; it is tried again later, and less soon each time. */
  hold(problem: WaitingProblem, now: number): void {
    const tries = (this.#problem?.tries ?? 0) + 1
    const retryAt = now + Math.min(firstRetryMs * 2 ** (tries - 1), slowestRetryMs)
    this.#problem = { ...problem, retryAt, tries }
  }

  /** What it waited for is there. */
  release(): void {
    if (this.#problem !== undefined) this.#problem = { ...this.#problem, retryAt: 0, tries: 0 }
  }

  /** Milliseconds until it may be tried again. */
  heldFor(now: number): number {
    return this.#problem === undefined ? 0 : Math.max(0, this.#problem.retryAt - now)
  }

  stop(graceMs: number): void {
    this.#current?.stop(graceMs)
  }

  async leave(): Promise<void> {
    await this.#current?.leave()
  }
}

const firstRetryMs = 500
const slowestRetryMs = 10_000

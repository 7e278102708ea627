import { rm } from 'node:fs/promises'
import type { Pod } from '@agents/kube'
import {
  type Attempt,
  type AttemptDependencies,
  type AttemptLocation,
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
import type { RunningContainer } from '../container/running-container.ts'
import type { PodFolder } from '../folder/pod-folder.ts'
import { type ContainerView, neverStarted, type WaitingProblem } from './container-view.ts'

interface HistoryOptions {
  readonly folder: PodFolder
  readonly container: string
  /** Prefix of the markers of all attempts of the pod. */
  readonly markerPrefix: string
  readonly dependencies: AttemptDependencies
  /** Called when an attempt has ended. */
  readonly ended: () => void
}

/** The attempts of one container that are still needed. */
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

  /** Undefined unless the container is running. */
  get running(): RunningContainer | undefined {
    return this.#current?.running
  }

  get nextNumber(): number {
    return this.#starts
  }

  location(number: number): AttemptLocation {
    const { folder, container, markerPrefix } = this.#options
    return {
      number,
      folder: folder.attempt(container, number),
      marker: `${markerPrefix}/${container}/${number}`,
    }
  }

  /** Reads what an earlier node recorded, and adopts a running attempt. */
  async load(pod: Pod): Promise<void> {
    const { folder, container, dependencies, ended } = this.#options
    const numbers = await attemptsIn(folder.attempts(container))
    for (const number of numbers.toReversed()) {
      const location = this.location(number)
      const attempt = await knownAttempt(location, dependencies)
      if (attempt !== undefined && (await attempt.adopt(ended))) {
        this.#starts = number + 1
        this.#current = attempt
        this.#previousEnd = number > 0 ? await readEnd(this.location(number - 1).folder) : undefined
        return
      }
      await rm(location.folder, { recursive: true, force: true })
    }
    await this.#loadFromStatus(pod)
  }

  /** The status has attempts that this machine has no record of: they have ended with an unknown result. */
  async #loadFromStatus({ status }: Pod): Promise<void> {
    const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    const reported = known.find(({ name }) => name === this.#options.container)
    const { running, terminated } = reported?.state ?? {}
    if (reported === undefined || (running === undefined && terminated === undefined)) return
    const now = this.#options.dependencies.clock.now().toISOString()
    this.#starts = reported.restartCount + 1
    this.#end = {
      exitCode: terminated?.exitCode ?? 137,
      reason: terminated?.reason ?? 'ContainerStatusUnknown',
      message: terminated?.message ?? 'The container could not be located when the node checked it',
      startedAt: terminated?.startedAt ?? running?.startedAt ?? now,
      finishedAt: terminated?.finishedAt ?? now,
    }
    await writeEnd(this.location(reported.restartCount).folder, this.#end)
  }

  /** Records a new attempt without starting it. */
  async begin(intent: AttemptIntent): Promise<Attempt> {
    const { folder, container, dependencies } = this.#options
    const number = this.#starts
    const attempt = await newAttempt(this.location(number), intent, dependencies)
    this.#advance(attempt)
    await forgetOldAttempts(folder.attempts(container), number)
    return attempt
  }

  /** Records an attempt that could not start. */
  async fail(end: AttemptEnd): Promise<void> {
    await writeEnd(this.location(this.#starts).folder, end)
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

  /** Delays the next try to start, with a backoff. */
  hold(problem: WaitingProblem, now: number): void {
    const tries = (this.#problem?.tries ?? 0) + 1
    const retryAt = now + Math.min(firstRetryMs * 2 ** (tries - 1), slowestRetryMs)
    this.#problem = { ...problem, retryAt, tries }
  }

  /** To be called when the dependency exists: the container may start now. */
  release(): void {
    if (this.#problem !== undefined) this.#problem = { ...this.#problem, retryAt: 0, tries: 0 }
  }

  /** Milliseconds until the next try. */
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

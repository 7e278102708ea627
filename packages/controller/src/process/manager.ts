import { type Clock, systemClock } from '@agents/kube'
import type { Logger } from '@agents/log'
import { whenAborted } from '../abort/when-aborted.ts'
import type { LeaderElector } from '../leader-election/leader-elector.ts'
import type { Runnable } from './runnable.ts'

/**
 * The order in which parts start; they stop in reverse order. Servers answer probes while caches fill; `leading` starts
 * only in the leader.
 */
const stages = ['servers', 'caches', 'always', 'leading'] as const

type Stage = (typeof stages)[number]

export interface ManagerOptions {
  readonly log: Logger
  /** Without one, `leading` starts at once. */
  readonly election?: Pick<LeaderElector, 'acquire' | 'hold' | 'release'>
  /** The timeout for all parts to stop. Default 30 s. */
  readonly shutdownMs?: number
  readonly clock?: Clock
}

/** The Lease was lost. Another process may lead already, so the process has to end without finishing its work. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

export class ShutdownTimeout extends Error {
  override name = 'ShutdownTimeout'
}

interface Running {
  readonly name: string
  readonly control: AbortController
  readonly ended: Promise<void>
}

/** Starts the parts of a process in order, and stops them in reverse order when one fails or the signal is aborted. */
export class Manager {
  readonly #options: ManagerOptions
  readonly #clock: Clock
  readonly #parts: Record<Stage, Runnable[]> = { servers: [], caches: [], always: [], leading: [] }
  readonly #running: Record<Stage, Running[]> = { servers: [], caches: [], always: [], leading: [] }
  readonly #stopping = new AbortController()
  readonly #electing = new AbortController()
  #failure: { readonly error: unknown } | undefined

  constructor(options: ManagerOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  add(stage: Stage, runnable: Runnable): void {
    this.#parts[stage].push(runnable)
  }

  /**
   * Resolves when the signal is aborted and all parts have stopped in time; rejects with the first failure otherwise.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stopping.abort(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    try {
      await this.#startAll()
      await whenAborted(this.#stopping.signal)
    } catch (error) {
      this.#fail(error)
    }
    signal.removeEventListener('abort', stop)
    await this.#stopInTime()
    if (this.#failure) throw this.#failure.error
  }

  async #startAll(): Promise<void> {
    for (const stage of stages) {
      if (stage === 'leading' && !(await this.#lead())) return
      for (const runnable of this.#parts[stage]) {
        if (this.#stopping.signal.aborted) return
        await runnable.start?.(this.#stopping.signal)
        this.#launch(stage, runnable)
      }
    }
  }

  #launch(stage: Stage, runnable: Runnable): void {
    const control = new AbortController()
    const ended = runnable.run(control.signal).catch((error: unknown) => {
      this.#options.log.error('part failed', { part: runnable.name, error })
      this.#fail(error)
    })
    this.#running[stage].push({ name: runnable.name, control, ended })
  }

  /** False if the process has to stop before it leads. */
  async #lead(): Promise<boolean> {
    const { election } = this.#options
    if (!election || this.#parts.leading.length === 0) return true
    if (!(await election.acquire(this.#stopping.signal))) return false
    void election.hold(this.#electing.signal).then(
      (end) => {
        if (end === 'lost') this.#fail(new LeadershipLost('leader election lost'))
      },
      (error: unknown) => this.#fail(error),
    )
    return true
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#stopping.abort(error)
  }

  async #stopInTime(): Promise<void> {
    const { shutdownMs = 30_000 } = this.#options
    const mayFinish = !(this.#failure?.error instanceof LeadershipLost)
    let current = ''
    let cancel = (): void => undefined
    const late = new Promise<'late'>((resolve) => {
      cancel = this.#clock.after(mayFinish ? shutdownMs : 0, () => resolve('late'))
    })
    const end = await Promise.race([
      late,
      this.#stopAll((stage) => {
        current = stage
      }),
    ])
    cancel()
    if (end !== 'late') return
    for (const stage of stages) for (const { control } of this.#running[stage]) control.abort()
    if (mayFinish)
      this.#failure ??= { error: new ShutdownTimeout(`${current} did not stop in time`) }
  }

  async #stopAll(onStage: (stage: Stage) => void): Promise<void> {
    for (const stage of stages.toReversed()) {
      onStage(stage)
      for (const { control } of this.#running[stage]) control.abort()
      await Promise.all(this.#running[stage].map(({ ended }) => ended))
    }
    this.#electing.abort()
    await this.#options.election?.release()
  }
}

import { type Clock, sleep } from '@agents/controller'
import type { ContainerEngine, EngineState } from './engine.ts'

/** How a container ended, as far as its engine reports it. */
type EngineOutcome =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string }
  | { readonly kind: 'never ran' }
  /** Removed by somebody else, or never created. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' }

/**
 * The container that an engine runs for one attempt. The engine's program, which the node runs, only connects to it.
 */
export class EngineAttempt {
  readonly #engine: ContainerEngine
  readonly #name: string
  readonly #stopSignal: string
  readonly #clock: Clock

  constructor(engine: ContainerEngine, name: string, stopSignal = 'SIGTERM', clock: Clock) {
    this.#engine = engine
    this.#name = name
    this.#stopSignal = stopSignal
    this.#clock = clock
  }

  /** Asks the container to stop. If it does not exist yet, it is asked as soon as it does. */
  async terminate(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (await this.#engine.signal(this.#name, this.#stopSignal)) return
      await sleep(this.#clock, pollMs)
    }
  }

  /** Resolves when the attempt has ended, or should have. */
  async kill(isOver: () => boolean): Promise<void> {
    if (!(await this.#engine.signal(this.#name, 'SIGKILL'))) return
    const end = this.#clock.elapsed() + lastOutputMs
    while (!isOver() && this.#clock.elapsed() < end) await sleep(this.#clock, pollMs)
  }

  /** To be called when the engine's program has ended: reports how the container ended, and removes it. */
  async conclude(): Promise<EngineOutcome> {
    let known: EngineState | undefined
    for (let tries = 1; ; tries += 1) {
      try {
        // An engine may fail to confirm that it has removed the container.
        known = (await this.#engine.state(this.#name)) ?? known
        await this.#engine.remove(this.#name)
        return outcomeOf(known)
      } catch {
        // A container that cannot be removed now is removed with the orphaned containers.
        if (tries === mostTries) return known ? outcomeOf(known) : { kind: 'unknown' }
        await sleep(this.#clock, pollMs * 2 ** tries)
      }
    }
  }
}

function outcomeOf(state: EngineState | undefined): EngineOutcome {
  if (state === undefined) return { kind: 'gone' }
  if (!state.hasStarted) return { kind: 'never ran' }
  // The connection to the container was lost, not the container; how it would have ended is unknown.
  if (state.isRunning) return { kind: 'unknown' }
  const { exitCode } = state
  if (state.isOutOfMemory) return { kind: 'ended', exitCode, reason: 'OOMKilled' }
  return { kind: 'ended', exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' }
}

const pollMs = 100
const lastOutputMs = 5000
const mostTries = 6

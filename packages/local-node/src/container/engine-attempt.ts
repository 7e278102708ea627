import { type Clock, sleep } from '@agents/controller'
import type { ContainerEngine, EngineState } from './engine.ts'

/** What became of a container, where its engine can tell. */
export type EngineOutcome =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string }
  | { readonly kind: 'never ran' }
  /** Taken away by somebody, or never made. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' }

/** The container that an engine runs for one attempt, while the engine's program, which we run, is only its messenger. */
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

  /** Asks it to end. It may still be on its way; then it is asked as soon as it is there. */
  async terminate(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (await this.#engine.signal(this.#name, this.#stopSignal)) return
      await sleep(this.#clock, pollMs)
    }
  }

  /** Resolves when the attempt is over, or should be. */
  async kill(isOver: () => boolean): Promise<void> {
    if (!(await this.#engine.signal(this.#name, 'SIGKILL'))) return
    const end = this.#clock.elapsed() + lastOutputMs
    while (!isOver() && this.#clock.elapsed() < end) await sleep(this.#clock, pollMs)
  }

  /** To be called when the engine's program has ended: says what became of the container, of which nothing is left then. */
  async conclude(): Promise<EngineOutcome> {
    let known: EngineState | undefined
    for (let tries = 1; ; tries += 1) {
      try {
        // An engine may fail to answer that it has taken the container away.
        known = (await this.#engine.state(this.#name)) ?? known
        await this.#engine.remove(this.#name)
        return outcomeOf(known)
      } catch {
        // What it cannot take away now goes when strays are looked for.
        if (tries === mostTries) return known ? outcomeOf(known) : { kind: 'unknown' }
        await sleep(this.#clock, pollMs * 2 ** tries)
      }
    }
  }
}

function outcomeOf(state: EngineState | undefined): EngineOutcome {
  if (state === undefined) return { kind: 'gone' }
  if (!state.hasStarted) return { kind: 'never ran' }
  // Its messenger was lost, not the container itself; nobody knows how that would have ended.
  if (state.isRunning) return { kind: 'unknown' }
  const { exitCode } = state
  if (state.isOutOfMemory) return { kind: 'ended', exitCode, reason: 'OOMKilled' }
  return { kind: 'ended', exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' }
}

const pollMs = 100
const lastOutputMs = 5000
const mostTries = 6

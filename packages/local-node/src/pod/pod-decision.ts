import type { PodSpec } from '@agents/kube'
import {
  type ContainerView,
  containersOf,
  mayRestart,
  neverStarted,
  type PodContainer,
  type WaitingProblem,
} from './container-view.ts'

export interface RestartBackoff {
  /** Wait before the second restart, because the first is immediate; doubles with each restart. */
  readonly baseMs: number
  readonly capMs: number
  /** After a run of this length, the next failure counts as the first. */
  readonly resetAfterMs: number
}

export const defaultRestartBackoff: RestartBackoff = {
  baseMs: 10_000,
  capMs: 300_000,
  resetAfterMs: 600_000,
}

export interface PodDecision {
  /** Containers to start now. */
  readonly start: readonly PodContainer[]
  /** Containers to stop because the pod has finished. */
  readonly stop: readonly PodContainer[]
  /** Containers that wait for their next attempt. */
  readonly waiting: ReadonlyMap<string, WaitingProblem>
  /** Nothing runs and nothing will start. */
  readonly isDone: boolean
  readonly wakeAfterMs?: number
}

interface PodSituation {
  readonly spec: PodSpec
  /** For messages: `name_namespace(uid)`. */
  readonly podName: string
  readonly views: ReadonlyMap<string, ContainerView>
  /** Whether no container may start any more. */
  readonly isStopping: boolean
  readonly now: Date
  readonly backoff: RestartBackoff
}

/** Decides the next steps of a pod from the state of its containers. */
export function decidePod(situation: PodSituation): PodDecision {
  const { spec, views, isStopping } = situation
  const all = containersOf(spec)
  const viewOf = ({ container }: PodContainer) => views.get(container.name) ?? neverStarted
  const isRunning = (one: PodContainer) => viewOf(one).runningSince !== undefined
  const running = all.filter(isRunning)
  if (isStopping) {
    return { start: [], stop: running, waiting: new Map(), isDone: running.length === 0 }
  }
  const next = new NextSteps(situation)
  for (const one of all.filter(({ role }) => role !== 'main')) {
    const step = next.of(one, viewOf(one))
    if (step === 'failed') return finished(running)
    // A sidecar only has to have started; init containers must have succeeded.
    if (step !== 'passed') return next.decision()
  }
  const mains = all.filter(({ role }) => role === 'main')
  const steps = mains.map((one) => next.of(one, viewOf(one)))
  const isOver = steps.every((step) => step === 'passed' || step === 'failed')
  return isOver && !mains.some(isRunning) ? finished(running) : next.decision()
}

function finished(running: readonly PodContainer[]): PodDecision {
  return { start: [], stop: running, waiting: new Map(), isDone: running.length === 0 }
}

type StepOutcome = 'passed' | 'pending' | 'failed'

class NextSteps {
  readonly #situation: PodSituation
  readonly #start: PodContainer[] = []
  readonly #waiting = new Map<string, WaitingProblem>()
  #wakeAfterMs = Number.POSITIVE_INFINITY

  constructor(situation: PodSituation) {
    this.#situation = situation
  }

  of(one: PodContainer, view: ContainerView): StepOutcome {
    if (view.runningSince !== undefined) return one.role === 'sidecar' ? 'passed' : 'pending'
    if (view.end === undefined) {
      this.#start.push(one)
      return 'pending'
    }
    if (!mayRestart(one, this.#situation.spec, view.end)) {
      return view.end.exitCode === 0 ? 'passed' : 'failed'
    }
    this.#restart(one, view)
    // A sidecar that has started once does not block the next containers.
    return one.role === 'sidecar' ? 'passed' : 'pending'
  }

  decision(): PodDecision {
    return {
      start: this.#start,
      stop: [],
      waiting: this.#waiting,
      isDone: false,
      ...(this.#wakeAfterMs < Number.POSITIVE_INFINITY && { wakeAfterMs: this.#wakeAfterMs }),
    }
  }

  #restart(one: PodContainer, view: ContainerView): void {
    const { now, podName } = this.#situation
    const pause = this.#pause(view)
    const left = Date.parse(view.end?.finishedAt ?? '') + pause - now.getTime()
    if (!(left > 0)) {
      this.#start.push(one)
      return
    }
    const { name } = one.container
    const message = `back-off ${formatDuration(pause)} restarting failed container=${name} pod=${podName}`
    this.#waiting.set(name, { reason: 'CrashLoopBackOff', message })
    this.#wakeAfterMs = Math.min(this.#wakeAfterMs, left)
  }

  #pause({ starts, end }: ContainerView): number {
    const { baseMs, capMs, resetAfterMs } = this.#situation.backoff
    const ran = Date.parse(end?.finishedAt ?? '') - Date.parse(end?.startedAt ?? '')
    if (starts <= 1 || ran >= resetAfterMs) return 0
    return Math.min(baseMs * 2 ** (starts - 2), capMs)
  }
}

/** As Go prints durations: `10s`, `2m40s`. */
function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`
}

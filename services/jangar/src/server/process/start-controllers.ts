import { type Clock, Manager, type Metrics, systemClock } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { createInformers, type Informers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'
import { addControllers } from './add-controllers.ts'

export interface StartControllersOptions {
  readonly client: KubeClient
  /** Shared with other parts of the process, which then end them. Default: own ones. */
  readonly informers?: Informers
  readonly config: ControllersConfig
  readonly log: Logger
  readonly clock?: Clock
  readonly metrics?: Metrics
  /** Keeps a run that has ended. */
  readonly archive?: (run: AgentRun) => Promise<void>
  /** Told with events. Default `local`. */
  readonly instance?: string
}

export interface RunningControllers {
  /** Everything that is there has been seen, and the controllers are at work; or they have ended. */
  readonly ready: Promise<void>
  /** Rejects when a part fails, which ends the others too. */
  readonly ended: Promise<void>
  /** Resolves when what was under way is done. Harmless to repeat. */
  stop(): Promise<void>
}

/** The controllers inside a process that does other things too. Nobody else may lead: there is no election. */
export function startControllers(options: StartControllersOptions): RunningControllers {
  const { client, config, log, clock = systemClock, metrics, archive } = options
  const { instance = 'local' } = options
  const informers = options.informers ?? createInformers(client)
  const sharesInformers = options.informers !== undefined
  const manager = new Manager({ log, clock })
  const world = {
    client,
    informers,
    sharesInformers,
    config,
    log,
    clock,
    metrics,
    instance,
    archive,
  }
  addControllers(manager, world)
  const stopping = new AbortController()
  const launched = new Promise<void>((resolve) => {
    manager.add('leading', {
      name: 'readiness',
      start: async () => resolve(),
      run: async () => undefined,
    })
  })
  const ended = manager.run(stopping.signal)
  // Whoever does not look at it is told by the log.
  ended.catch(() => undefined)
  const ready = Promise.race([launched, ended])
  ready.catch(() => undefined)
  return {
    ready,
    ended,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

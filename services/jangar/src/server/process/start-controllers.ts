import {
  type Clock,
  type Launched,
  launch,
  Manager,
  type Metrics,
  systemClock,
} from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { createInformers, type Informers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
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
  /** Not given: there are no traces. */
  readonly tracer?: Tracer
  /** Keeps a run that has ended. */
  readonly archive?: (run: AgentRun) => Promise<void>
  /** Told with events. Default `local`. */
  readonly instance?: string
}

export type RunningControllers = Launched

/** The controllers inside a process that does other things too. Nobody else may lead: there is no election. */
export function startControllers(options: StartControllersOptions): RunningControllers {
  const { client, config, log, clock = systemClock, metrics, archive, tracer } = options
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
    tracer,
    instance,
    archive,
  }
  addControllers(manager, world)
  return launch(manager)
}

import {
  type Clock,
  type Launched,
  launch,
  Manager,
  type Metrics,
  systemClock,
} from '@agents/controller'
import { createInformers, type Informers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { KeepRun } from '../archive/archive-run.ts'
import type { UsageLedger } from '../budgets/past-usage.ts'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import { addControllers } from './add-controllers.ts'

export interface StartControllersOptions {
  readonly client: KubeClient
  /** Shared with other parts of the process, which also stop them. If omitted, new ones are created. */
  readonly informers?: Informers
  readonly config: ControllersConfig
  readonly log: Logger
  readonly clock?: Clock
  readonly metrics?: Metrics
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer
  /** Stores a finished run. */
  readonly archive?: KeepRun
  /** Deliveries of webhooks. If omitted, none are processed. */
  readonly inbox?: InboxReader
  /** Keeps the usage of runs. */
  readonly ledger?: UsageLedger
  /** Identifies the process in events. If omitted, `local`. */
  readonly instance?: string
}

export type RunningControllers = Launched

/** Starts the controllers inside another process, without leader election. No other process may run them. */
export function startControllers(options: StartControllersOptions): RunningControllers {
  const { client, config, log, clock = systemClock, metrics, archive, tracer } = options
  const { instance = 'local', inbox, ledger } = options
  const informers = options.informers ?? createInformers(client)
  const sharesInformers = options.informers !== undefined
  const manager = new Manager({ log, clock })
  const ports = {
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
    inbox,
    ledger,
  }
  addControllers(manager, ports)
  return launch(manager)
}

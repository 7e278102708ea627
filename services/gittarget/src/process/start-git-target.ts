import {
  type Clock,
  type Launched,
  launch,
  Manager,
  type Metrics,
  systemClock,
} from '@agents/controller'
import { createInformers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { addGitTarget } from './add-git-target.ts'
import type { GitTargetWorld } from './git-target-world.ts'

export interface StartGitTargetOptions {
  readonly client: KubeClient
  readonly log: Logger
  readonly clock?: Clock
  /** Holds nothing that cannot be made again; kept, it saves work after a restart. */
  readonly stateDir: string
  /** Whose objects are looked after. Default: those of all namespaces. */
  readonly namespaces?: readonly string[]
  /** Whether repositories of this machine may be written to, by file:// URLs. Default no. */
  readonly allowFile?: boolean
  /** Where `git` and `ssh` are searched. */
  readonly path?: string
  readonly metrics?: Metrics
  /** Not given: there are no traces. */
  readonly tracer?: Tracer
  /** Told with events. Default `local`. */
  readonly instance?: string
}

export interface RunningGitTarget extends Launched {
  /** For looking inside. */
  readonly world: GitTargetWorld
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The mirror inside a process that does other things too. Nobody else may lead: there is no election. */
export async function startGitTarget(options: StartGitTargetOptions): Promise<RunningGitTarget> {
  const { client, log, stateDir, metrics, clock = systemClock, instance = 'local' } = options
  const { namespaces = ['*'], allowFile = false, path = PATH } = options
  const manager = new Manager({ log, clock })
  const informers = createInformers(client, { backoff: patience })
  const world = await addGitTarget(manager, {
    ...{ client, informers, log, clock, namespaces, stateDir, allowFile, path, metrics, instance },
    tracer: options.tracer,
  })
  return { ...launch(manager), world }
}

/** Kinds that are installed later should be found soon after. */
const patience = { baseMs: 500, maxMs: 5_000, resetAfterMs: 120_000 }

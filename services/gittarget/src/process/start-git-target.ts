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
import { informerBackoff } from '@agents/process'
import type { Tracer } from '@agents/tracing'
import type { UserOfChange } from '../mirror/authors/change-authors.ts'
import { addGitTarget } from './add-git-target.ts'
import type { GitTargetComponents } from './components.ts'

interface StartGitTargetOptions {
  readonly client: KubeClient
  readonly log: Logger
  readonly clock?: Clock
  /** Can be recreated; a restart then reads pending deletions from the status of the targets. */
  readonly stateDir: string
  /** The namespaces whose objects are reconciled. Default: all. */
  readonly namespaces?: readonly string[]
  /** Whether repositories on this machine may be used. Default false. */
  readonly allowFile?: boolean
  /** Search path for `git` and `ssh`. */
  readonly path?: string
  readonly metrics?: Metrics
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer
  /** Finds the authenticated users of changes. If omitted, authors of commits are field managers. */
  readonly userOf?: UserOfChange
  /** Name of this process in events. Default `local`. */
  readonly instance?: string
}

export interface RunningGitTarget extends Launched {
  /** For tests and metrics. */
  readonly components: GitTargetComponents
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Runs the mirror inside a process that does other things too, without leader election. */
export async function startGitTarget(options: StartGitTargetOptions): Promise<RunningGitTarget> {
  const { client, log, stateDir, metrics, clock = systemClock, instance = 'local' } = options
  const { namespaces = ['*'], allowFile = false, path = defaultPath } = options
  const manager = new Manager({ log, clock })
  const informers = createInformers(client, { backoff: informerBackoff })
  const components = await addGitTarget(manager, {
    ...{ client, informers, log, clock, namespaces, stateDir, allowFile, path, metrics, instance },
    tracer: options.tracer,
    userOf: options.userOf,
  })
  return { ...launch(manager), components }
}

import { type Clock, Manager, type Metrics, systemClock } from '@agents/controller'
import { createInformers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
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
  /** Told with events. Default `local`. */
  readonly instance?: string
}

export interface RunningGitTarget {
  /** Everything that is there has been seen, and the controllers are at work; or they have ended. */
  readonly ready: Promise<void>
  /** Rejects when a part fails, which ends the others too. */
  readonly ended: Promise<void>
  /** For looking inside. */
  readonly world: GitTargetWorld
  /** Resolves when what waited in commit windows is pushed, as far as it can be. Harmless to repeat. */
  stop(): Promise<void>
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
  })
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
    world,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

/** Kinds that are installed later should be found soon after. */
const patience = { baseMs: 500, maxMs: 5_000, resetAfterMs: 120_000 }

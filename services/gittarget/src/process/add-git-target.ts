import {
  type Clock,
  ClusterEventRecorder,
  filledCaches,
  type Manager,
  type Metrics,
  whenAborted,
} from '@agents/controller'
import type { Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { fingerprintKey } from './fingerprint-key.ts'
import { type GitTargetWorld, gitTargetWorld } from './git-target-world.ts'
import { kindRunnable } from './kind-runnable.ts'
import { addMirrorMetrics } from './mirror-metrics.ts'

export interface GitTargetParts {
  readonly client: KubeClient
  /** Ours alone: they end with the process. */
  readonly informers: Informers
  readonly log: Logger
  readonly clock: Clock
  readonly namespaces: readonly string[]
  readonly stateDir: string
  readonly allowFile: boolean
  readonly path: string
  readonly metrics?: Metrics | undefined
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
  /** Which of several processes; told with events. */
  readonly instance: string
}

/** For what waits in commit windows when the process ends. */
const FLUSH_MS = 15_000

/** Adds the controllers, and what they stand on, to the parts of a process. */
export async function addGitTarget(
  manager: Manager,
  parts: GitTargetParts,
): Promise<GitTargetWorld> {
  const { client, informers, log, clock, stateDir, instance, metrics } = parts
  const events = new ClusterEventRecorder({
    client,
    source: { component: 'gittarget', instance },
    log,
    clock,
  })
  const world = gitTargetWorld({ ...parts, fingerprintKey: await fingerprintKey(stateDir) })
  if (metrics) addMirrorMetrics(metrics, world)
  manager.add('servers', {
    name: 'events',
    run: async (signal) => {
      await whenAborted(signal)
      await events.stop()
    },
  })
  manager.add('caches', filledCaches(informers, log, { isShared: false }))
  // Ends after the controllers, so that nobody starts a mirror that nobody ends.
  manager.add('always', {
    name: 'mirrors',
    start: async () => world.catalog.start(),
    run: async (signal) => {
      await whenAborted(signal)
      await world.stop(FLUSH_MS)
    },
  })
  const ports = { client, events, log, clock, metrics, tracer: parts.tracer }
  manager.add('leading', kindRunnable(world.gitProvider, ports))
  manager.add('leading', kindRunnable(world.gitTarget, ports))
  manager.add('leading', kindRunnable(world.watchRule, ports))
  manager.add('leading', kindRunnable(world.clusterWatchRule, ports))
  return world
}

import type { Clock } from '@agents/controller'
import { BranchWorkers } from '@agents/git'
import type { ClusterWatchRule, GitProvider, GitTarget, WatchRule } from '@agents/gittarget-api'
import { formatKey, type Informers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { AuditedWrites } from '../audit/audited-writes.ts'
import { clusterWatchRuleController } from '../cluster-watch-rule/cluster-watch-rule-controller.ts'
import { gitProviderController } from '../git-provider/git-provider-controller.ts'
import { Reachability } from '../git-provider/reachability.ts'
import { gitTargetController } from '../git-target/git-target-controller.ts'
import { PathClaims } from '../git-target/paths/path-claims.ts'
import { rivalsOf } from '../git-target/sources.ts'
import { type Caches, openCaches } from '../kubernetes/caches.ts'
import { KeyWaker } from '../kubernetes/key-waker.ts'
import type { LivingController } from '../kubernetes/living-controller.ts'
import { objectReader } from '../kubernetes/object-reader.ts'
import type { UserOfChange } from '../mirror/authors/change-authors.ts'
import { BranchWriters } from '../mirror/branch/branch-writers.ts'
import { Mirrors } from '../mirror/mirrors.ts'
import { ResourceCatalog } from '../mirror/selection/resource-catalog.ts'
import { StreamPool } from '../mirror/stream/stream-pool.ts'
import { watchRuleController } from '../watch-rule/watch-rule-controller.ts'

interface ComponentOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly log: Logger
  readonly clock: Clock
  /** Namespaces whose GitProviders, GitTargets and WatchRules are reconciled; `*` means all. */
  readonly namespaces: readonly string[]
  /** Local copies of repositories. Everything in it can be recreated. */
  readonly stateDir: string
  /** Whether repositories on this machine may be used, for tests and the local platform. */
  readonly allowFile: boolean
  /** Search path for `git` and `ssh`. */
  readonly path: string
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Finds the authenticated users of changes. If omitted, by audit events. */
  readonly userOf?: UserOfChange | undefined
  /** Recognizes unchanged Secrets of targets that have no age identity. */
  readonly fingerprintKey: Buffer
}

/** The controllers of the four kinds, and the caches and mirrors that they use. */
export interface GitTargetComponents {
  readonly caches: Caches
  readonly catalog: ResourceCatalog
  readonly mirrors: Mirrors
  readonly pool: StreamPool
  /** To be filled by whoever receives audit events. */
  readonly auditedWrites: AuditedWrites
  readonly gitProvider: LivingController<GitProvider>
  readonly gitTarget: LivingController<GitTarget>
  readonly watchRule: LivingController<WatchRule>
  readonly clusterWatchRule: LivingController<ClusterWatchRule>
  /** Pushes pending changes and stops the mirrors. To be called after the controllers have stopped. */
  stop(flushMs: number): Promise<void>
}

export function createComponents(options: ComponentOptions): GitTargetComponents {
  const { client, informers, log, clock, namespaces, path, allowFile, fingerprintKey } = options
  const caches = openCaches(informers, namespaces)
  const { definitions } = caches
  const catalog = new ResourceCatalog({ discovery: client.discovery, definitions, clock, log })
  const pool = new StreamPool({ client, clock, log })
  const workers = new BranchWorkers(options.stateDir)
  const writers = new BranchWriters({ workers, log, path })
  const auditedWrites = new AuditedWrites({ clock, isWatched: (object) => pool.watches(object) })
  const { tracer, userOf = auditedWrites.userOf, stateDir } = options
  const mirrors = new Mirrors({ pool, writers, clock, log, tracer, userOf, stateDir })
  const reader = objectReader(client)
  const reachability = new Reachability({ clock, path })
  const failures = new KeyWaker()
  const claimChanges = new KeyWaker()
  const claims = new PathClaims({
    path,
    clock,
    hasPushed: (key) => mirrors.hasPushed(key),
    onChange: (key) => {
      const target = caches.gitTargets.get(key)
      const rivals = target === undefined ? [] : rivalsOf(target, caches)
      for (const { metadata } of rivals) claimChanges.wake(formatKey(metadata))
    },
  })
  const ports = {
    ...{ client, reader, allowFile, fingerprintKey, path, reachability },
    ...{ caches, mirrors, catalog, clock, claims, claimChanges, failures },
    providerFailed: (provider: string): void => {
      if (reachability.forget(provider)) failures.wake(provider)
    },
  }
  return {
    caches,
    catalog,
    mirrors,
    pool,
    auditedWrites,
    gitProvider: gitProviderController(ports),
    gitTarget: gitTargetController(ports),
    watchRule: watchRuleController(ports),
    clusterWatchRule: clusterWatchRuleController(ports),
    stop: async (flushMs) => {
      catalog.stop()
      claims.stop()
      await mirrors.stopAll(flushMs)
      await workers.close()
      await pool.stop()
    },
  }
}

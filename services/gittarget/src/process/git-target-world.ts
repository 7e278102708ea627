import type { Clock } from '@agents/controller'
import { BranchWorkers } from '@agents/git'
import type { Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { clusterWatchRuleReconciler } from '../cluster-watch-rule/reconciler.ts'
import { Reachability } from '../git-provider/reachability.ts'
import { gitProviderReconciler } from '../git-provider/reconciler.ts'
import { gitProviderSources } from '../git-provider/sources.ts'
import { gitTargetReconciler } from '../git-target/reconciler.ts'
import { gitTargetSources } from '../git-target/sources.ts'
import { type Caches, openCaches } from '../kubernetes/caches.ts'
import { KeyWaker } from '../kubernetes/key-waker.ts'
import { objectReader } from '../kubernetes/object-reader.ts'
import { BranchWriters } from '../mirror/branch-writers.ts'
import { Mirrors } from '../mirror/mirrors.ts'
import { ResourceCatalog } from '../mirror/resource-catalog.ts'
import { StreamPool } from '../mirror/stream-pool.ts'
import { watchRuleReconciler } from '../watch-rule/reconciler.ts'
import { clusterWatchRuleSources, watchRuleSources } from '../watch-rule/sources.ts'
import type { KindController } from './kind-runnable.ts'

export interface GitTargetWorldOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly log: Logger
  readonly clock: Clock
  /** Whose GitProviders, GitTargets and WatchRules are looked after; `*` is all. */
  readonly namespaces: readonly string[]
  /** Holds nothing that cannot be made again. */
  readonly stateDir: string
  /** Repositories of this machine: for tests and for the local platform. */
  readonly allowFile: boolean
  /** Where `git` and `ssh` are searched. */
  readonly path: string
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
  /** For targets without an age identity, to recognise what did not change. */
  readonly fingerprintKey: Buffer
}

/** The controllers of the four kinds, and the mirrors that stand behind them. */
export interface GitTargetWorld {
  readonly caches: Caches
  readonly catalog: ResourceCatalog
  readonly mirrors: Mirrors
  readonly pool: StreamPool
  readonly gitProvider: KindController<Kind<'gitProviders'>>
  readonly gitTarget: KindController<Kind<'gitTargets'>>
  readonly watchRule: KindController<Kind<'watchRules'>>
  readonly clusterWatchRule: KindController<Kind<'clusterWatchRules'>>
  /** After the controllers: pushes what waits, and ends everything. */
  stop(flushMs: number): Promise<void>
}

type Kind<Name extends keyof Caches> = NonNullable<ReturnType<Caches[Name]['get']>>

export function gitTargetWorld(options: GitTargetWorldOptions): GitTargetWorld {
  const { client, informers, log, clock, namespaces, path, allowFile } = options
  const caches = openCaches(informers, namespaces)
  const { definitions } = caches
  const catalog = new ResourceCatalog({ discovery: client.discovery, definitions, clock, log })
  const pool = new StreamPool({ client, clock, log })
  const workers = new BranchWorkers(options.stateDir)
  const mirrors = new Mirrors({
    pool,
    writers: new BranchWriters({ workers, log, path }),
    clock,
    log,
    tracer: options.tracer,
  })
  const reader = objectReader(client)
  const reachability = new Reachability(path)
  const doubts = new KeyWaker()
  const doubt = (provider: string): void => {
    if (reachability.forget(provider)) doubts.wake(provider)
  }
  const { fingerprintKey } = options
  const ports = {
    ...{ client, reader, allowFile, fingerprintKey, path, reachability },
    ...{ caches, mirrors, catalog, clock, doubt },
  }
  return {
    caches,
    catalog,
    mirrors,
    pool,
    gitProvider: {
      primary: caches.gitProviders,
      reconciler: gitProviderReconciler(ports),
      sources: gitProviderSources(caches, doubts),
      workers: 4,
    },
    gitTarget: {
      primary: caches.gitTargets,
      reconciler: gitTargetReconciler(ports),
      sources: gitTargetSources(ports),
      // They wait for remotes: a slow one must not keep the others from being looked at.
      workers: 16,
      quickGates: 2,
      gone: (key) => void mirrors.stop(key, 0).catch(() => undefined),
    },
    watchRule: {
      primary: caches.watchRules,
      reconciler: watchRuleReconciler(ports),
      sources: watchRuleSources(ports),
      workers: 8,
    },
    clusterWatchRule: {
      primary: caches.clusterWatchRules,
      reconciler: clusterWatchRuleReconciler(ports),
      sources: clusterWatchRuleSources(ports),
      workers: 8,
    },
    stop: async (flushMs) => {
      catalog.stop()
      await mirrors.stopAll(flushMs)
      await workers.close()
      await pool.stop()
    },
  }
}

import { type ResourceCache, type Runnable, whenAborted } from '@agents/controller'
import { type Informers, InformerTimeoutError, type KindRef } from '@agents/kube'
import type { Logger } from '@agents/log'
import { fullNameOf } from '../definitions/platform-kinds.ts'

/**
 * The kinds that a group of controllers reads. The group starts when all of them are cached, whatever other groups
 * need.
 */
export interface CacheGroup {
  readonly name: string
  readonly kinds: readonly KindRef[]
}

export function cacheGroup(
  name: string,
  caches: { readonly [Name in string]: Pick<ResourceCache, 'kind'> },
): CacheGroup {
  return { name, kinds: Object.values(caches).map(({ kind }) => kind) }
}

interface CacheGroupsOptions {
  readonly informers: Informers
  readonly groups: readonly CacheGroup[]
  readonly log: Logger
  /** Whether another part of the process stops the informers. */
  readonly isShared: boolean
}

/**
 * Fills the caches, and is started when those of one group are filled. It never gives up: kinds may be installed after
 * the process, and a restarted process would only wait again.
 */
export function cacheGroups({ informers, groups, log, isShared }: CacheGroupsOptions): Runnable {
  return {
    name: 'caches',
    start: async (signal) => {
      const started = new AbortController()
      const either = AbortSignal.any([signal, started.signal])
      const waits = groups.map((group) => waitLogging(group, informers, log, either))
      await Promise.race(waits)
      started.abort()
    },
    run: async (signal) => {
      await Promise.all(groups.map((group) => waitLogging(group, informers, log, signal)))
      await whenAborted(signal)
      if (!isShared) await informers.stop()
    },
  }
}

/** Runs a part of the process once the caches of its group are filled. */
export function afterCaches(
  group: CacheGroup,
  informers: Pick<Informers, 'all'>,
  { name, run }: Pick<Runnable, 'name' | 'run'>,
): Runnable {
  return {
    name,
    run: async (signal) => {
      while (!(await areFilled(group, informers, signal))) if (signal.aborted) return
      await run(signal)
    },
  }
}

async function waitLogging(
  group: CacheGroup,
  informers: Pick<Informers, 'all'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let timeoutMs = 2_000
  while (!(await areFilled(group, informers, signal, timeoutMs))) {
    if (signal.aborted) return
    timeoutMs = 30_000
    const missing = informersOf(group, informers).filter((informer) => !informer.hasSynced())
    const kinds = [...new Set(missing.map(({ kind }) => fullNameOf(kind)))]
    log.warn('waiting for kinds; check that their CRDs are installed and can be watched', {
      group: group.name,
      kinds,
    })
  }
}

async function areFilled(
  group: CacheGroup,
  informers: Pick<Informers, 'all'>,
  signal: AbortSignal,
  timeoutMs?: number,
): Promise<boolean> {
  const wait = { signal, timeoutMs }
  try {
    await Promise.all(informersOf(group, informers).map((one) => one.waitForSync(wait)))
    return true
  } catch (error) {
    if (signal.aborted || error instanceof InformerTimeoutError) return false
    throw error
  }
}

function informersOf({ kinds }: CacheGroup, informers: Pick<Informers, 'all'>) {
  const names = new Set(kinds.map(fullNameOf))
  return informers.all().filter(({ kind }) => names.has(fullNameOf(kind)))
}

import {
  type Clock,
  Controller,
  objectApi,
  type Reconcile,
  type Runnable,
  resourceCache,
  whenAborted,
  writeStatus,
} from '@agents/controller'
import type { AnyKind } from '@agents/crd'
import { conditionsByKind, unreconciledKinds, unreconciledPhases } from '@agents/jangar-api'
import {
  createInformers,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { type ContractStatus, foldNotReconciled, isFinished } from '@agents/status'
import { afterCaches, cacheGroup } from '../caches/cache-groups.ts'

interface UnreconciledPorts {
  readonly client: KubeClient
  readonly namespaces: readonly string[]
  readonly log: Logger
  readonly clock: Clock
  /** Default: the kinds that no controller of this release reconciles. */
  readonly kinds?: readonly AnyKind[]
  /** How watches of kinds that are not installed are retried. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number }
}

/**
 * Reports in the status of objects that no controller of this release reconciles their kind. Its caches are its own:
 * the process is ready without them, also if a definition or the permission to watch it is missing.
 */
export function unreconciledKindsPart(ports: UnreconciledPorts): Runnable {
  return {
    name: 'kinds without a controller',
    run: async (signal) => {
      const informers = createInformers(ports.client, { backoff: ports.backoff })
      const parts = (ports.kinds ?? unreconciledKinds).map((kind) => {
        const cache = resourceCache(informers, kindRef(kind), ports.namespaces, {
          transform: withoutSpec,
        })
        const controller = new Controller<KubeObject>({
          kind: cache.kind,
          primary: cache,
          reconcile: reportNotReconciled(kind, ports.client),
          log: ports.log,
          clock: ports.clock,
        })
        const run = (stop: AbortSignal) => controller.run(stop)
        return afterCaches(cacheGroup(kind.plural, { cache }), informers, {
          name: kind.plural,
          run,
        })
      })
      try {
        // There may be no such kinds.
        await Promise.all([whenAborted(signal), ...parts.map((part) => part.run(signal))])
      } finally {
        await informers.stop()
      }
    },
  }
}

/** Only metadata and status are needed. */
function withoutSpec({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata, ...(status !== undefined && { status }) } as KubeObject
}

/** Writes the status if it differs, and reconciles again only if the object changes. */
function reportNotReconciled(kind: AnyKind, client: KubeClient): Reconcile {
  const api = objectApi(client, kindRef(kind))
  const conditions = conditionsByKind[kind.kind]
  const phase = unreconciledPhases[kind.kind]
  if (conditions === undefined || phase === undefined) {
    throw new TypeError(`${kind.kind} declares no conditions or phases`)
  }
  return async (object, { now, signal, remember }) => {
    const { deletionTimestamp, generation = 1 } = object.metadata
    const previous = (object.status ?? {}) as ContractStatus
    // The outcome of a run that a controller of another release finished is final.
    if (deletionTimestamp !== undefined || isFinished(previous.conditions ?? [])) return {}
    const folded = foldNotReconciled(conditions, previous, { now, generation })
    const next = { ...previous, ...folded, phase: phase(folded.conditions) }
    try {
      const written = await writeStatus(api, object, next, { now, signal })
      if (written !== undefined) remember(written)
      return {}
    } catch (error) {
      if (isNotFound(error)) return {}
      if (isConflict(error)) return { tryAgain: true }
      throw error
    }
  }
}

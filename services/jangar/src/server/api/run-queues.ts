import type { KubeObject } from '@agents/kube'
import { isTrue } from '../kubernetes/condition-of.ts'
import { listOf, type MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { RunSource } from './list-runs.ts'

/** The unfinished runs of a kind in a namespace. */
interface RunQueue {
  readonly kind: string
  readonly namespace: string
  /** Runs that have not started. */
  readonly waiting: number
  readonly running: number
  /** Runs among them whose last change no controller has reconciled yet. */
  readonly unreconciled: number
}

interface QueuePorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
}

/** More namespaces than one request may ask about. */
const mostNamespaces = 200

/** How many runs wait and run, in the namespaces whose runs the caller may list. */
export async function runQueues(
  { sources, mayDo }: QueuePorts,
  caller: Caller,
): Promise<readonly RunQueue[]> {
  const queues: RunQueue[] = []
  for (const { cache, changes } of sources) {
    if (!changes.isFilled()) {
      throw new ApiError('Unavailable', 'the list of runs is not complete yet; try again', {
        retryAfterMs: 1000,
      })
    }
    const byNamespace = Map.groupBy(cache.list().filter(isOpen), placeOf)
    const places = [...byNamespace.keys()].toSorted().slice(0, mostNamespaces)
    const isGiven = await Promise.all(
      places.map((namespace) => mayDo(caller, listOf(cache.kind, namespace))),
    )
    for (const namespace of places.filter((_, at) => isGiven[at])) {
      const runs = byNamespace.get(namespace) ?? []
      const running = runs.filter((run) => isTrue(run, 'Started')).length
      const { kind } = cache.kind
      const unreconciled = runs.filter(isUnreconciled).length
      queues.push({ kind, namespace, waiting: runs.length - running, running, unreconciled })
    }
  }
  return queues
}

function isOpen(run: KubeObject): boolean {
  return !isTrue(run, 'Finished')
}

function placeOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? ''
}

function isUnreconciled({ metadata, status }: KubeObject): boolean {
  const { observedGeneration = 0 } = (status ?? {}) as { readonly observedGeneration?: number }
  return observedGeneration < (metadata.generation ?? 0)
}

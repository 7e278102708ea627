import type { KubeObject } from '@agents/kube'
import { isTrue } from '../kubernetes/condition-of.ts'
import type { MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import type { RunSource } from './list-runs.ts'
import { needFilled } from './need-runs.ts'
import { visibleKinds, visibleRuns } from './visible-runs.ts'

/** The unfinished runs of a kind in a namespace. */
interface RunQueue {
  readonly kind: string
  readonly namespace: string
  /** Runs that have not started. */
  readonly waiting: number
  readonly running: number
  /** Runs among them whose status does not show their last change yet. */
  readonly unreconciled: number
}

interface QueuePorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
}

/** How many runs wait and run, in the namespaces whose runs the caller may list, or in one of them. */
export async function runQueues(
  { sources, mayDo }: QueuePorts,
  caller: Caller,
  namespace: string | undefined,
): Promise<readonly RunQueue[]> {
  needFilled(sources)
  const asked = { namespace, kind: undefined }
  const visible = await visibleKinds(mayDo, sources, caller, asked, async () => [])
  return sources.flatMap(({ cache }) => {
    const open = visibleRuns(cache, visible).filter(isOpen)
    const byNamespace = [...Map.groupBy(open, placeOf)].toSorted(byName)
    return byNamespace.map(([place, runs]) => queueOf(cache.kind.kind, place, runs))
  })
}

function queueOf(kind: string, namespace: string, runs: readonly KubeObject[]): RunQueue {
  const running = runs.filter((run) => isTrue(run, 'Started')).length
  const unreconciled = runs.filter(isUnreconciled).length
  return { kind, namespace, waiting: runs.length - running, running, unreconciled }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
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

import type { EventRecorder, ResourceCache } from '@agents/controller'
import type { OrchestrationRun } from '@agents/jangar-api'
import { formatKey, isNotFound, type KubeClient, type KubeObject, parseKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { BudgetBook } from '../../budgets/budget-book.ts'
import type { BudgetEntry } from '../../budgets/budget-entry.ts'
import { cancelPatch } from '../../kubernetes/budget-stop.ts'
import { conditionOf } from '../../kubernetes/condition-of.ts'

interface TreePorts {
  readonly client: Pick<KubeClient, 'patch'>
  readonly book: BudgetBook
  readonly events: EventRecorder
  readonly caches: {
    readonly agentRuns: ResourceCache
    readonly toolRuns: ResourceCache
    readonly orchestrationRuns: ResourceCache<OrchestrationRun>
  }
}

/**
 * Cancels the topmost OrchestrationRun above each active run of the Budget, and with it the whole tree: the runs alone
 * would be replaced by other steps. Runs stop by themselves.
 */
export function treeStopper({ client, book, events, caches }: TreePorts) {
  const { orchestrationRuns } = caches
  const parentOf = ({ metadata }: KubeObject): OrchestrationRun | undefined => {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'OrchestrationRun')
    if (owner === undefined) return undefined
    const { namespace } = metadata
    const parent = orchestrationRuns.get(formatKey({ namespace, name: owner.name }))
    return parent?.metadata.uid === owner.uid ? parent : undefined
  }
  return async (entry: BudgetEntry, signal: AbortSignal): Promise<void> => {
    const tops = new Map<string, OrchestrationRun>()
    const { namespace } = entry.budget.metadata
    const active = book.activeRuns(entry).map(({ kind, key }) => {
      const cache = kind === 'AgentRun' ? caches.agentRuns : caches.toolRuns
      return cache.get(key)
    })
    // Some may have been stopped already, in this process or an earlier one.
    const stopped = [
      ...caches.agentRuns.list(namespace),
      ...caches.toolRuns.list(namespace),
    ].filter((run) => conditionOf(run, 'Finished')?.reason === 'BudgetExceeded')
    for (const run of [...active, ...stopped]) {
      let top = run && parentOf(run)
      for (let above = top; above !== undefined; above = parentOf(above)) top = above
      if (top !== undefined) tops.set(formatKey(top.metadata), top)
    }
    for (const [key, top] of tops) {
      if (top.spec?.cancel === true || isFinished(top.status?.conditions)) continue
      const { name } = entry.budget.metadata
      const patch = { type: 'merge', body: cancelPatch(name) } as const
      await client
        .patch(orchestrationRuns.kind, parseKey(key), patch, { signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
      events.record(top, {
        type: 'Warning',
        reason: 'BudgetExceeded',
        action: 'Cancel',
        message: `cancelled with all its steps because the limit of Budget ${name} is passed`,
      })
    }
  }
}

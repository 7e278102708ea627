import type { EventRecorder, ResourceCache } from '@agents/controller'
import type { OrchestrationRun } from '@agents/jangar-api'
import {
  controllerOfKind,
  formatKey,
  isNotFound,
  type KubeClient,
  type KubeObject,
  parseKey,
} from '@agents/kube'
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
 * Cancels the topmost OrchestrationRun above each run that the Budget covers and stops, and with it the whole tree: the
 * runs alone would be replaced by other steps. Runs stop by themselves.
 */
export function treeStopper({ client, book, events, caches }: TreePorts) {
  const { orchestrationRuns } = caches
  const parentOf = (run: KubeObject): OrchestrationRun | undefined => {
    // Whoever creates a run can name any owner. Only the platform can name a controller of this kind.
    const owner = controllerOfKind(run, orchestrationRuns.kind)
    if (owner === undefined) return undefined
    const { namespace } = run.metadata
    const parent = orchestrationRuns.get(formatKey({ namespace, name: owner.name }))
    return parent !== undefined && parent.metadata.uid === owner.uid ? parent : undefined
  }
  const topOf = (run: KubeObject): OrchestrationRun | undefined => {
    const above = new Set<OrchestrationRun>()
    for (let next = parentOf(run); next !== undefined; next = parentOf(next)) {
      // Objects in a cycle have no top, and would be followed forever.
      if (above.has(next)) return undefined
      above.add(next)
    }
    return [...above].at(-1)
  }
  return async (entry: BudgetEntry, signal: AbortSignal): Promise<void> => {
    const tops = new Map<string, OrchestrationRun>()
    for (const { kind, key, uid, isActive } of book.coveredRuns(entry)) {
      const run = (kind === 'AgentRun' ? caches.agentRuns : caches.toolRuns).get(key)
      if (run === undefined || run.metadata.uid !== uid) continue
      // Some may have been stopped already, in this process or an earlier one.
      if (!isActive && conditionOf(run, 'Finished')?.reason !== 'BudgetExceeded') continue
      const top = topOf(run)
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

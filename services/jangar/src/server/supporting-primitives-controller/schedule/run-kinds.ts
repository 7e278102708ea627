import { Children, type ObjectApi, objectApi, type ResourceCache } from '@agents/controller'
import type { AgentRun, OrchestrationRun, Schedule, ToolRun } from '@agents/jangar-api'
import { byOwner, isControlledBy, type KubeClient, ownerIndex } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'

/** What a schedule can start. */
export type ScheduledRun = AgentRun | OrchestrationRun | ToolRun

/** The runs of one kind that schedules start. */
export interface RunKind {
  readonly cache: ResourceCache<ScheduledRun>
  readonly api: ObjectApi<ScheduledRun>
  readonly children: Children<ScheduledRun>
}

export type RunKinds = ReadonlyMap<string, RunKind>

export function runKinds(client: KubeClient, caches: SupportingCaches): RunKinds {
  const { agentRuns, orchestrationRuns, toolRuns } = caches
  const all = [agentRuns, orchestrationRuns, toolRuns] as unknown as ResourceCache<ScheduledRun>[]
  return new Map(
    all.map((cache) => {
      cache.addIndexers({ [ownerIndex]: byOwner })
      const api = objectApi(client, cache.kind)
      return [cache.kind.kind, { cache, api, children: new Children(api, cache) }]
    }),
  )
}

/** The kind of the runs that a schedule starts. */
export function kindOf({ spec }: Schedule): string | undefined {
  return (spec?.template ?? spec?.targetRef)?.kind
}

/**
 * All runs that a schedule has started, of which earlier ones may be of another kind, and those that users have
 * triggered. Others may name the schedule as an owner of their runs, but not as the controller.
 */
export function runsOf(kinds: RunKinds, schedule: Schedule): ScheduledRun[] {
  return [...kinds.values()]
    .flatMap(({ cache }) => cache.byIndex(ownerIndex, schedule.metadata.uid ?? ''))
    .filter((run) => isControlledBy(run, schedule))
}

import {
  Children,
  type KindController,
  livingReconciler,
  objectApi,
  ownedSource,
} from '@agents/controller'
import { type Schedule, scheduleConditions, schedulePhase } from '@agents/jangar-api'
import { byOwner, type KubeClient, ownerIndex } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { scheduled } from './gates/scheduled.ts'
import { targetResolved } from './gates/target-resolved.ts'
import { validated } from './gates/validated.ts'

interface SchedulePorts {
  readonly client: KubeClient
  readonly caches: SupportingCaches
}

/** Reconciles Schedules: starts a run at each time of the cron expression. */
export function scheduleController({ client, caches }: SchedulePorts): KindController<Schedule> {
  const { schedules, agentRuns } = caches
  agentRuns.addIndexers({ [ownerIndex]: byOwner })
  const runs = objectApi(client, agentRuns.kind)
  const children = new Children(runs, agentRuns)
  return {
    primary: schedules,
    reconciler: livingReconciler({
      kind: 'Schedule',
      conditions: scheduleConditions,
      gates: [validated, targetResolved(caches), scheduled({ client, caches, runs, children })],
      phase: schedulePhase,
    }),
    sources: [
      ownedSource('runs', agentRuns, schedules.kind),
      referrersSource('target', agentRuns, schedules, ({ spec }) => [spec?.targetRef?.name]),
    ],
  }
}

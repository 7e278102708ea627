import { type KindController, livingReconciler, ownedSource } from '@agents/controller'
import { type Schedule, scheduleConditions, schedulePhase } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { scheduled } from './gates/scheduled.ts'
import { targetResolved } from './gates/target-resolved.ts'
import { validated } from './gates/validated.ts'
import { runKinds } from './run-kinds.ts'

interface SchedulePorts {
  readonly client: KubeClient
  readonly caches: SupportingCaches
}

/** Reconciles Schedules: starts a run at each time of the cron expression. */
export function scheduleController({ client, caches }: SchedulePorts): KindController<Schedule> {
  const { schedules } = caches
  const kinds = runKinds(client, caches)
  return {
    primary: schedules,
    reconciler: livingReconciler({
      kind: 'Schedule',
      conditions: scheduleConditions,
      gates: [validated(kinds), targetResolved(kinds), scheduled({ client, schedules, kinds })],
      phase: schedulePhase,
    }),
    sources: [...kinds].flatMap(([kind, { cache }]) => [
      ownedSource(`runs ${kind}`, cache, schedules.kind),
      referrersSource(`target ${kind}`, cache, schedules, ({ spec }) =>
        spec?.targetRef?.kind === kind ? [spec.targetRef.name] : [],
      ),
    ]),
  }
}

import type { Logger } from '@agents/log'
import type { ArchivedRuns } from '../../../api/archived-runs.ts'
import type { EventPorts } from '../../../api/read-events.ts'
import type { NoteAct } from '../../note-act.ts'
import type { Route } from '../../route.ts'
import { predecessorLogRoute } from './log-route.ts'
import { memoryQueryRoute } from './memory-query-route.ts'
import { predecessorObjectRoutes } from './object-routes.ts'
import { operationsOf } from './operations.ts'
import { type OverviewPorts, predecessorOverviewRoutes } from './overview-routes.ts'
import { predecessorResourceRoutes } from './resource-routes.ts'
import { predecessorRunRoutes } from './run-routes.ts'
import { predecessorStreamRoute } from './stream-route.ts'

interface PredecessorPorts extends OverviewPorts, EventPorts {
  readonly archive: ArchivedRuns | undefined
  readonly log: Logger
  readonly noteAct: NoteAct | undefined
}

/** The REST paths of the predecessor, each a translation to the given operations. */
export function predecessorRoutes(
  routes: readonly Route[],
  ports: PredecessorPorts,
): readonly Route[] {
  const call = operationsOf(routes)
  return [
    ...predecessorRunRoutes(ports, call),
    ...predecessorObjectRoutes(call),
    memoryQueryRoute(routes, ports),
    ...predecessorResourceRoutes(ports, call),
    predecessorLogRoute(routes, ports),
    ...predecessorOverviewRoutes(ports),
    predecessorStreamRoute(ports),
  ]
}

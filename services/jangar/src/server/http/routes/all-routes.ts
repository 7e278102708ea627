import type { Clock, HealthCheck } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { MayDo } from '../../api/access/authorizer.ts'
import type { Caller } from '../../api/access/caller.ts'
import type { ArchivedRuns } from '../../api/archived-runs.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import type { RunSource } from '../../api/list-runs.ts'
import type { RunEvents } from '../../api/run-events.ts'
import type { Audit } from '../../audit/open-audit.ts'
import type { ControllersPlace } from '../../cluster-checks/examined.ts'
import type { Deliveries } from '../../inbox/deliveries.ts'
import type { Webhooks } from '../../inbox/open-webhooks.ts'
import type { AcceptUsage } from '../../usage/accept-usage.ts'
import type { NoteAct } from '../note-act.ts'
import { OpenRequests } from '../open-requests.ts'
import type { Route } from '../route.ts'
import type { ReadStatus } from '../status-reader.ts'
import { accessRoutes } from './access-routes.ts'
import { archiveRoutes } from './archive-routes.ts'
import { type ApiArtifacts, artifactRoutes } from './artifact-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { withDescription } from './description-route.ts'
import { doctorRoutes } from './doctor-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { mcpRoute } from './mcp-route.ts'
import { objectRoutes } from './object-routes.ts'
import { predecessorRoutes } from './predecessor/predecessor-routes.ts'
import { runActRoutes } from './run-act-routes.ts'
import { runRoutes } from './run-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { type SessionPorts, signInRoutes } from './sign-in-routes.ts'
import { triggerRoutes } from './trigger-routes.ts'
import { usageRoutes } from './usage-routes.ts'
import { usageSumRoutes } from './usage-sum-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export interface RoutePorts {
  readonly version: string
  readonly readiness: Readonly<Record<string, HealthCheck>>
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  readonly sources: readonly RunSource[]
  readonly events: RunEvents
  /** Throws if the cluster no longer accepts the caller. */
  readonly review: (caller: Caller) => Promise<void>
  /** Undefined if browsers cannot sign in. */
  readonly sessions: SessionPorts | undefined
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
  readonly artifacts: ApiArtifacts | undefined
  readonly acceptUsage: AcceptUsage
  readonly archive: ArchivedRuns | undefined
  readonly webhooks: Webhooks | undefined
  readonly audit: Audit | undefined
  /** Undefined if nothing is recorded. */
  readonly noteAct: NoteAct | undefined
  readonly deliveries: Deliveries | undefined
  /** Undefined if the process does not know where they run. */
  readonly controllers: ControllersPlace | undefined
  /** Undefined if the process does not know the status of the control plane. */
  readonly readStatus: ReadStatus | undefined
}

/** Of one user at a time: each reads the objects of all kinds. */
const mostCostly = 4

/** Every route of the API. */
export function allRoutes(ports: RoutePorts): readonly Route[] {
  const costly = new OpenRequests(mostCostly)
  const routes = [
    ...healthRoutes(ports),
    ...doctorRoutes({ ...ports, costly }),
    ...sessionRoutes(ports),
    ...signInRoutes(ports),
    ...accessRoutes(ports),
    ...runRoutes(ports),
    ...runActRoutes(ports),
    ...eventRoutes(ports),
    ...objectRoutes({ ...ports, costly }),
    ...triggerRoutes(ports),
    ...artifactRoutes(ports),
    ...archiveRoutes(ports),
    ...auditRoutes(ports),
    ...inboxRoutes(ports),
    ...usageRoutes(ports),
    ...usageSumRoutes(ports),
    ...webhookRoutes(ports),
  ]
  const all = [...routes, ...predecessorRoutes(routes, ports), mcpRoute(routes, ports)]
  return withDescription(all, ports.version)
}

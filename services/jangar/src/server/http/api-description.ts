import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import manifest from '../../../package.json' with { type: 'json' }
import { CallerClient } from '../api/caller-client.ts'
import { RunEvents } from '../api/run-events.ts'
import { type ApiDescription, describeApi } from './describe-api.ts'
import { allRoutes } from './routes/all-routes.ts'

/** What `/openapi.json` answers, without a cluster: the routes are declared, and none is called. */
export function apiDescription(): ApiDescription {
  const routes = allRoutes({
    version: manifest.version,
    readiness: {},
    stopping: new AbortController().signal,
    log: silentLogger,
    clock: systemClock,
    sources: [],
    events: new RunEvents([], systemClock),
    review: isNeverCalled,
    sessions: undefined,
    mayDo: isNeverCalled,
    callerClient: new CallerClient(noCluster, 'none'),
    artifacts: undefined,
    archive: undefined,
    audit: undefined,
    deliveries: undefined,
    readStatus: undefined,
    acceptUsage: isNeverCalled,
    webhooks: undefined,
    noteAct: undefined,
    controllers: undefined,
  })
  return describeApi(routes, manifest.version)
}

const noCluster = { server: 'https://cluster.invalid', namespace: 'default' }

function isNeverCalled(): never {
  throw new Error('routes without a cluster are only described')
}

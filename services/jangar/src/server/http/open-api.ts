import { type Clock, type HealthCheck, type ResourceCache, resourceCache } from '@agents/controller'
import { type AgentRun, type ImplementationSource, implementationSource } from '@agents/jangar-api'
import {
  type Connection,
  createInformers,
  type Informers,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import { authenticator } from '../api/access/authenticator.ts'
import { authorizer } from '../api/access/authorizer.ts'
import type { Caller } from '../api/access/caller.ts'
import type { ArchivedRuns } from '../api/archived-runs.ts'
import { CallerClient } from '../api/caller-client.ts'
import type { RunSource } from '../api/list-runs.ts'
import { RunChanges } from '../api/run-changes.ts'
import { type ObjectSource, RunEvents } from '../api/run-events.ts'
import { runKinds } from '../api/run-summary.ts'
import { OneTimeCodes } from '../api/session/one-time-codes.ts'
import { Sessions } from '../api/session/sessions.ts'
import { StoredSessions } from '../api/session/stored-sessions.ts'
import { OpenIdProvider, type OpenIdSettings } from '../api/sign-in/open-id-provider.ts'
import { type ArtifactSettings, apiArtifacts } from '../artifacts/api-artifacts.ts'
import type { Audit } from '../audit/open-audit.ts'
import type { ControllersPlace } from '../cluster-checks/examined.ts'
import type { Database } from '../database-schema.ts'
import { platformKinds } from '../definitions/platform-kinds.ts'
import type { Deliveries } from '../inbox/deliveries.ts'
import { openWebhooks, type WebhookSettings } from '../inbox/open-webhooks.ts'
import { usageAcceptor } from '../usage/accept-usage.ts'
import { createApp, type HttpHandler } from './app.ts'
import type { Browsers } from './browser-request.ts'
import { ConsoleFiles } from './console-files.ts'
import { actNoter } from './note-act.ts'
import { OpenRequests } from './open-requests.ts'
import { type RateLimits, RequestRate } from './request-rate.ts'
import { type CallRoute, routeCaller } from './route-caller.ts'
import { allRoutes } from './routes/all-routes.ts'
import { webhookDoor } from './routes/webhook-door.ts'
import { type StatusSettings, statusReader } from './status-reader.ts'

export interface ApiPorts {
  readonly version: string
  /** Where callers' own requests go. Its credentials are not used for them. */
  readonly connection: Connection
  /** With the rights of the control plane. */
  readonly client: KubeClient
  readonly informers: Informers
  /** Whose runs are listed; `*` for all. */
  readonly namespaces: readonly string[]
  /** The same checks as those of the probe server. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Aborted when the process starts to shut down. */
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  /** If omitted, artifacts are neither taken nor given. */
  readonly artifacts?: ArtifactSettings | undefined
  /** Browsers that sign in with codes. Their sessions live in this process. */
  readonly browsers?: Browsers | undefined
  /** Browsers of people who sign in at an OpenID provider, instead of with codes. */
  readonly signIn?: SignInSettings | undefined
  /** The folder with the built files of the console. If omitted, there is no console. */
  readonly consoleDir?: string | undefined
  /** If omitted, only runs in the cluster are known. */
  readonly archive?: ArchivedRuns | undefined
  /** If omitted, deliveries of issue trackers are not taken. */
  readonly webhooks?: WebhookSettings | undefined
  /** How often each user may ask. */
  readonly requestRate?: RateLimits | undefined
  /** If omitted, acts are not recorded. */
  readonly audit?: Audit | undefined
  /** If omitted, there is no inbox. */
  readonly deliveries?: Deliveries | undefined
  /** Where the controllers run. If omitted, the Lease of their leader is searched for. */
  readonly controllers?: ControllersPlace | undefined
  /** If omitted, the status of the control plane is not known. */
  readonly status?: StatusSettings | undefined
}

export interface SignInSettings {
  readonly provider: OpenIdSettings
  /** Keeps the sessions, for all control planes. */
  readonly database: Kysely<Database>
}

export interface OpenApi {
  readonly handler: HttpHandler
  /** For other protocols than HTTP. */
  readonly callRoute: CallRoute
  /** Ends streams. */
  endStreams(): void
  close(): void
}

/** The HTTP API of the control plane, behind any server. Its caches start to fill at once. */
export function openApi(ports: ApiPorts): OpenApi {
  const { client, clock, log, connection } = ports
  const closing = new AbortController()
  const callerClient = new CallerClient(connection, 'agents-control-plane')
  const authenticate = authenticator({ client, clock, log })
  const review = (caller: Caller): Promise<Caller> => authenticate(caller.authorization())
  const { browsers, sessions } = openSessions(ports, review)
  const sources = runSources(ports)
  // Apart from those of the process, which is ready without them: a kind may be missing in the cluster.
  const objects = createInformers(client)
  const webhooks =
    ports.webhooks && openWebhooks(ports.webhooks, { ...ports, sources: issueSources(ports) })
  const noteAct = ports.audit && actNoter({ record: ports.audit.record, clock })
  const routes = allRoutes({
    ...ports,
    sources,
    events: new RunEvents(sources, clock, {}, objectSources(ports, objects)),
    review: async (caller) => {
      await (caller.session?.review() ?? review(caller))
    },
    sessions,
    mayDo: authorizer({ client, clock, log }),
    callerClient,
    archive: ports.archive,
    audit: ports.audit,
    noteAct,
    deliveries: ports.deliveries,
    controllers: ports.controllers,
    readStatus: ports.status && statusReader(ports.status, ports),
    artifacts: ports.artifacts && apiArtifacts(ports.artifacts, client, log),
    acceptUsage: usageAcceptor({ client, runs: agentRunsIn(sources), clock }),
    webhooks,
  })
  const shared = {
    ...{ routes, authenticate, log, closing: closing.signal },
    rate: new RequestRate(clock, ports.requestRate),
    openPerUser: new OpenRequests(),
    noteAct,
  }
  return {
    handler: createApp({
      ...{ ...shared, browsers, client, clock },
      consoleFiles: new ConsoleFiles(ports.consoleDir, log),
      door: webhooks && webhookDoor(webhooks),
    }),
    callRoute: routeCaller(shared),
    endStreams: () => closing.abort(new Error('the server is shutting down')),
    close: () => {
      sessions?.sessions.close()
      webhooks?.close()
      callerClient.close()
      void objects.stop()
    },
  }
}

/** Which browsers are served, and how they sign in. */
function openSessions(ports: ApiPorts, review: (caller: Caller) => Promise<Caller>) {
  const { clock, log, signIn } = ports
  if (signIn !== undefined) {
    const { publicUrl } = signIn.provider
    const sessions = new StoredSessions({ db: signIn.database, clock, log })
    const provider = new OpenIdProvider(signIn.provider, { clock, log })
    return {
      browsers: { origins: () => [publicUrl], hasOtherNames: true, sessions },
      sessions: { sessions, provider, codes: undefined },
    }
  }
  if (ports.browsers === undefined) return { browsers: undefined, sessions: undefined }
  const sessions = new Sessions({ clock, review })
  return {
    browsers: { ...ports.browsers, sessions },
    sessions: { sessions, codes: new OneTimeCodes(clock), provider: undefined },
  }
}

function agentRunsIn(sources: readonly RunSource[]): Pick<ResourceCache<AgentRun>, 'get'> {
  const source = sources.find(({ cache }) => cache.kind.kind === 'AgentRun')
  return { get: (key) => source?.cache.get(key) as AgentRun | undefined }
}

function runSources({ informers, namespaces }: ApiPorts): readonly RunSource[] {
  return runKinds.map((kind) => {
    const cache = resourceCache(informers, kind, namespaces)
    return { cache, changes: new RunChanges(cache), namespaces }
  })
}

/** The kinds that are no runs. Of their objects, only the names are kept. */
function objectSources({ namespaces }: ApiPorts, informers: Informers): readonly ObjectSource[] {
  const isRun = (kind: string) => runKinds.some((run) => run.kind === kind)
  return platformKinds
    .filter(({ kind, scope }) => scope === 'Namespaced' && !isRun(kind))
    .map((declared) => {
      const kind = kindRef<KubeObject>(declared)
      const options = { metadataOnly: true, transform: namesOnly }
      return { cache: resourceCache(informers, kind, namespaces, options) }
    })
}

function namesOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace, name, uid, resourceVersion } = metadata
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } } as KubeObject
}

function issueSources({ informers, namespaces }: ApiPorts) {
  return resourceCache(informers, kindRef<ImplementationSource>(implementationSource), namespaces)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import type { Logger } from '@agents/log'
import { cleanUpDefinitions } from './custom-resources/clean-up-definitions.ts'
import { type Definition, definitionPrefix } from './custom-resources/definition.ts'
import { definitionResource } from './custom-resources/definition-resource.ts'
import type { DefinitionRules } from './custom-resources/definition-rules.ts'
import { definitionStrategy } from './custom-resources/definition-strategy.ts'
import { serveDefinitions } from './custom-resources/serve-definitions.ts'
import type { DecodeProtobuf } from './endpoints/decode-body.ts'
import { createHealthHandler, type HealthCheck } from './endpoints/health.ts'
import { type Listener, listen, type Tls } from './endpoints/http-listener.ts'
import { createMetricsHandler } from './endpoints/metrics.ts'
import type { PlainHandler } from './endpoints/plain-handler.ts'
import { createRequestHandler } from './endpoints/request-handler.ts'
import { createRequestMetrics } from './endpoints/request-metrics.ts'
import type { RequestThread } from './endpoints/request-thread.ts'
import type { TableConverter } from './endpoints/table-converter.ts'
import { versionHandler } from './endpoints/version.ts'
import { createWatchSet, type WatchSet } from './endpoints/watch-set.ts'
import { createRegistry, type Registry } from './registry/registry.ts'
import type { Authenticate, Authorize } from './request/access.ts'
import { type Admission, noAdmission } from './rest/admission.ts'
import type { OnWrite, RestEnvironment } from './rest/environment.ts'
import type { FieldManager } from './rest/field-manager.ts'
import type { NamespaceCheck } from './rest/namespace-check.ts'
import type { Patcher } from './rest/patcher.ts'
import { openDurableStore } from './store/durable-store.ts'
import { openEphemeralStore } from './store/ephemeral-store.ts'
import type { Store } from './store/store.ts'

interface FrameOptions {
  /** Directory of the data. If omitted, objects are kept in memory and lost when the server stops. */
  readonly dataDir?: string
  /** 0 picks a free port. */
  readonly port: number
  readonly logger: Logger
  readonly clock?: () => Date
  /** If omitted, the server speaks plain HTTP. */
  readonly tls?: Tls
  /** Host names, besides those of loopback, that requests may carry. */
  readonly hosts?: readonly string[]
  /** Number of past changes that watches and lists can start from. */
  readonly historyEvents?: number
  /** Called once when the store can no longer write. Memory and disk may then differ, so the process should exit. */
  readonly onFatal?: (error: Error) => void
  /** Called with each completed write of a request. */
  readonly onWrite?: OnWrite
  /** Creates the thread for expensive requests. If omitted, the main thread answers all requests. */
  readonly offload?: (core: ServerCore) => RequestThread
  /** Called once the store is open. May add resources to the registry. */
  readonly parts: (core: ServerCore) => ServerParts
}

export interface ServerCore {
  readonly store: Store
  readonly registry: Registry
  readonly clock: () => Date
  readonly logger: Logger
}

/** The replaceable parts of the server. */
export interface ServerParts {
  readonly definitionRules: DefinitionRules
  /** The schema of CustomResourceDefinition itself. */
  readonly definitionSchema: Schema
  readonly pruneDefinition: (definition: KubeObject) => string[]
  /** If omitted, every request is made by an administrator. */
  readonly authenticate?: Authenticate
  /** If omitted, every request is allowed. */
  readonly authorize?: Authorize
  readonly patcher?: Patcher
  readonly fieldManager?: FieldManager
  readonly toTable?: TableConverter
  readonly decodeProtobuf?: DecodeProtobuf
  readonly admission?: Admission
  /** If omitted, every namespace counts as existing. */
  readonly namespaceState?: NamespaceCheck
  /** Handlers of discovery, OpenAPI and the like, tried before a 404 is sent. */
  readonly plain?: readonly PlainHandler[]
  readonly checks?: readonly HealthCheck[]
  /** Called first, as soon as the environment exists. */
  readonly adopt?: (environment: RestEnvironment) => void
  /** Called before the server accepts requests. */
  readonly start?: (environment: RestEnvironment) => Promise<void>
  readonly stop?: () => Promise<void>
}

export interface ServerFrame {
  readonly url: string
  readonly port: number
  readonly environment: RestEnvironment
  readonly registry: Registry
  /** Ends all watches, waits for running requests and closes the store. */
  stop(): Promise<void>
}

const stopGraceMs = 5_000

/** How long one request may hold the main thread before it is offloaded. */
const workLimitMs = 40

export async function startServerFrame(options: FrameOptions): Promise<ServerFrame> {
  const { logger, clock = () => new Date() } = options
  const store = await openStore(options)
  try {
    return await serve(options, store, clock)
  } catch (error) {
    await store.close()
    logger.error('start failed', { error })
    throw error
  }
}

async function openStore(options: FrameOptions): Promise<Store> {
  const { dataDir, logger, historyEvents, onFatal } = options
  const limits = historyEvents === undefined ? {} : { historyEvents }
  if (dataDir === undefined) return openEphemeralStore(limits)
  return openDurableStore({
    ...limits,
    directory: join(dataDir, 'store'),
    onFatal: (error) => {
      logger.error('store failed', { error })
      onFatal?.(error)
    },
  })
}

async function serve(options: FrameOptions, store: Store, clock: () => Date): Promise<ServerFrame> {
  const assembly = await assemble(options, store, clock)
  const { handle, environment, registry, watches, definitions, parts, offload } = assembly
  await parts.start?.(environment)
  const listener = await listen(handle, options.port, options.tls)
  return {
    url: listener.url,
    port: listener.port,
    environment,
    registry,
    stop: async () => {
      if (assembly.isStopping()) return
      assembly.startStopping()
      await stopAll(listener, () => watches.endAll(), { definitions, parts, store, offload })
    },
  }
}

interface AssemblyOptions
  extends Pick<FrameOptions, 'logger' | 'hosts' | 'parts' | 'offload' | 'onWrite'> {
  /** True in the thread for large requests: listener and controllers run in the main thread. */
  readonly isReplica?: boolean
}

interface Assembly {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly environment: RestEnvironment
  readonly registry: Registry
  readonly watches: WatchSet
  readonly definitions: { stop(): void }
  readonly parts: ServerParts
  readonly offload: RequestThread | undefined
  isStopping(): boolean
  startStopping(): void
}

/** Everything that answers requests, without the listener. */
export async function assemble(
  options: AssemblyOptions,
  store: Store,
  clock: () => Date,
): Promise<Assembly> {
  const { logger, isReplica = false } = options
  const registry = createRegistry()
  const watches = createWatchSet()
  registry.onChange((gone) => watches.endOf(gone))

  const core: ServerCore = { store, registry, clock, logger }
  const parts = options.parts(core)
  const environment: RestEnvironment = {
    store,
    admission: parts.admission ?? noAdmission,
    fieldManager: parts.fieldManager,
    patcher: parts.patcher,
    namespaceState: parts.namespaceState,
    ...(options.onWrite === undefined ? {} : { onWrite: options.onWrite }),
    ...(isReplica || options.offload === undefined ? {} : { workLimitMs }),
  }
  parts.adopt?.(environment)
  const offload = options.offload?.(core)
  const definitions = await startDefinitions(environment, core, parts, isReplica)

  let stopping = false
  const metrics = createRequestMetrics()
  const checks: HealthCheck[] = [
    { name: 'ping', endpoints: ['healthz', 'livez', 'readyz'], isHealthy: () => true },
    { name: 'log', endpoints: ['healthz', 'livez', 'readyz'], isHealthy: () => true },
    { name: 'etcd', endpoints: ['healthz', 'livez', 'readyz'], isHealthy: () => true },
    ...(parts.checks ?? []),
    { name: 'shutdown', endpoints: ['readyz'], isHealthy: () => !stopping },
  ]
  const handle = createRequestHandler({
    registry,
    resources: {
      environment,
      watches,
      toTable: parts.toTable,
      decodeProtobuf: parts.decodeProtobuf,
      isKind: (apiVersion, kind) => isBuiltinKind(registry, apiVersion, kind),
      now: clock,
      offload,
    },
    plain: [
      createHealthHandler(checks),
      versionHandler,
      createMetricsHandler(metrics, registry, store, watches),
      ...(parts.plain ?? []),
    ],
    authenticate: parts.authenticate ?? (() => administrator),
    authorize: parts.authorize ?? (() => ({ allowed: true })),
    metrics,
    hosts: options.hosts ?? [],
    onFault: (error, { path, verb }) => logger.error('request failed', { error, path, verb }),
  })
  return {
    ...{ handle, environment, registry, watches, definitions, parts, offload },
    isStopping: () => stopping,
    startStopping: () => {
      stopping = true
    },
  }
}

function isBuiltinKind(registry: Registry, apiVersion: string, kind: string): boolean {
  return registry
    .all()
    .some((one) => !one.isCustom && one.kind === kind && formatApiVersion(one) === apiVersion)
}

const administrator = {
  name: 'system:admin',
  groups: ['system:masters', 'system:authenticated'],
}

async function startDefinitions(
  environment: RestEnvironment,
  { store, registry, clock, logger }: ServerCore,
  { definitionRules, definitionSchema, pruneDefinition }: ServerParts,
  isReplica: boolean,
): Promise<{ stop(): void }> {
  const known = (): Definition[] =>
    store.list(definitionPrefix).entries.map((entry) => entry.value as Definition)
  const strategy = definitionStrategy(definitionRules, known, pruneDefinition)
  registry.replace('customresourcedefinitions', [
    definitionResource(strategy, definitionSchema, definitionRules.load),
  ])
  // A replica learns of definitions between two requests, when it cannot wait for the rules.
  if (isReplica || known().length > 0) await definitionRules.load?.()
  const onFault = (error: unknown, name: string): void =>
    logger.error('custom resource definition cannot be served', { error, name })
  const serving = serveDefinitions(store, registry, definitionRules, {
    clock,
    onFault,
    isReplica,
  })
  if (isReplica) return serving
  const cleaning = cleanUpDefinitions(environment, registry, clock, onFault)
  return {
    stop: () => {
      serving.stop()
      cleaning.stop()
    },
  }
}

async function stopAll(
  listener: Listener,
  endWatches: () => void,
  {
    definitions,
    parts,
    store,
    offload,
  }: Pick<Assembly, 'definitions' | 'parts' | 'offload'> & {
    store: Store
  },
): Promise<void> {
  endWatches()
  const closed = listener.close(stopGraceMs)
  await parts.stop?.()
  // Ends watches that started in the meantime.
  endWatches()
  await closed
  await offload?.stop()
  definitions.stop()
  await store.close()
}

import { join } from 'node:path'
import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { formatApiVersion } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Authenticate, Authorize } from './endpoints/access.ts'
import type { DecodeProtobuf } from './endpoints/decode-body.ts'
import { createHealthHandler, type HealthCheck } from './endpoints/health.ts'
import { type Listener, listen, type Tls } from './endpoints/http-listener.ts'
import { createMetricsHandler } from './endpoints/metrics.ts'
import type { PlainHandler } from './endpoints/plain-handler.ts'
import { createRequestHandler } from './endpoints/request-handler.ts'
import { createRequestMetrics } from './endpoints/request-metrics.ts'
import type { TableConverter } from './endpoints/table-converter.ts'
import { versionHandler } from './endpoints/version.ts'
import { createWatchSet } from './endpoints/watch-set.ts'
import { cleanUpDefinitions } from './registry/definition/clean-up-definitions.ts'
import { type Definition, definitionPrefix } from './registry/definition/definition.ts'
import { definitionResource } from './registry/definition/definition-resource.ts'
import type { DefinitionRules } from './registry/definition/definition-rules.ts'
import { definitionStrategy } from './registry/definition/definition-strategy.ts'
import { serveDefinitions } from './registry/definition/serve-definitions.ts'
import { createRegistry, type Registry } from './registry/registry.ts'
import { type Admission, noAdmission } from './rest/admission.ts'
import type { RestEnvironment } from './rest/environment.ts'
import type { FieldManager } from './rest/field-manager.ts'
import type { NamespaceCheck } from './rest/namespace-check.ts'
import type { Patcher } from './rest/patcher.ts'
import { openDurableStore } from './store/durable-store.ts'
import { openEphemeralStore } from './store/ephemeral-store.ts'
import type { Store } from './store/store.ts'

export interface FrameOptions {
  /** Where the data is kept. Without it everything is in memory and gone at the end. */
  readonly dataDir?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly logger: Logger
  readonly clock?: () => Date
  /** Plain HTTP without it. */
  readonly tls?: Tls
  /** Names, beside the loopback ones, that clients may reach the server under. */
  readonly hosts?: readonly string[]
  /** How many changes are remembered for watches and lists that begin in the past. */
  readonly historyEvents?: number
  /** Called once when the store can no longer write. What is in memory may then differ from the disk: end the process. */
  readonly onFatal?: (error: Error) => void
  /** Made once the store is open; they may add resources to the registry. */
  readonly parts: (core: ServerCore) => ServerParts
}

export interface ServerCore {
  readonly store: Store
  readonly registry: Registry
  readonly clock: () => Date
  readonly logger: Logger
}

/** What the frame is filled with. */
export interface ServerParts {
  readonly definitionRules: DefinitionRules
  /** Of CustomResourceDefinition itself. */
  readonly definitionSchema: Schema
  readonly pruneDefinition: (definition: KubeObject) => string[]
  /** Everybody is an administrator without it. */
  readonly authenticate?: Authenticate
  /** Everything is allowed without it. */
  readonly authorize?: Authorize
  readonly patcher?: Patcher
  readonly fieldManager?: FieldManager
  readonly toTable?: TableConverter
  readonly decodeProtobuf?: DecodeProtobuf
  readonly admission?: Admission
  /** Every namespace counts as there without it. */
  readonly namespaceState?: NamespaceCheck
  /** Discovery, OpenAPI and the like; asked before the 404. */
  readonly plain?: readonly PlainHandler[]
  readonly checks?: readonly HealthCheck[]
  /** Called before the first request is taken. */
  readonly start?: (environment: RestEnvironment) => Promise<void>
  readonly stop?: () => Promise<void>
}

export interface ServerFrame {
  readonly url: string
  readonly port: number
  readonly environment: RestEnvironment
  readonly registry: Registry
  /** Ends the watches, lets requests under way finish and closes the store. */
  stop(): Promise<void>
}

const stopGraceMs = 5_000

export async function startServerFrame(options: FrameOptions): Promise<ServerFrame> {
  const { logger, clock = () => new Date() } = options
  const store = await openStore(options)
  try {
    return await serve(options, store, clock)
  } catch (error) {
    await store.close()
    logger.error('the API server could not start', { error })
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
      logger.error('the store can no longer write', { error })
      onFatal?.(error)
    },
  })
}

async function serve(options: FrameOptions, store: Store, clock: () => Date): Promise<ServerFrame> {
  const { logger } = options
  const registry = createRegistry()
  const watches = createWatchSet()
  registry.onChange((gone) => watches.endOf(gone))

  const parts = options.parts({ store, registry, clock, logger })
  const environment: RestEnvironment = {
    store,
    admission: parts.admission ?? noAdmission,
    fieldManager: parts.fieldManager,
    patcher: parts.patcher,
    namespaceState: parts.namespaceState,
  }
  const definitions = await startDefinitions(environment, registry, parts, clock, logger)

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
  await parts.start?.(environment)
  const listener = await listen(handle, options.port, options.tls)
  return {
    url: listener.url,
    port: listener.port,
    environment,
    registry,
    stop: async () => {
      if (stopping) return
      stopping = true
      await stopAll(listener, () => watches.endAll(), definitions, parts, store)
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
  registry: Registry,
  { definitionRules, definitionSchema, pruneDefinition }: ServerParts,
  clock: () => Date,
  logger: Logger,
): Promise<{ stop(): void }> {
  const { store } = environment
  const known = (): Definition[] =>
    store.list(definitionPrefix).entries.map((entry) => entry.value as Definition)
  const strategy = definitionStrategy(definitionRules, known, pruneDefinition)
  registry.replace('customresourcedefinitions', [
    definitionResource(strategy, definitionSchema, definitionRules.load),
  ])
  if (known().length > 0) await definitionRules.load?.()
  const onFault = (error: unknown, name: string): void =>
    logger.error('a custom resource definition cannot be served', { error, name })
  const serving = serveDefinitions(store, registry, definitionRules, clock, onFault)
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
  definitions: { stop(): void },
  parts: ServerParts,
  store: Store,
): Promise<void> {
  endWatches()
  const closed = listener.close(stopGraceMs)
  await parts.stop?.()
  // A watch that began while the others were ended.
  endWatches()
  await closed
  definitions.stop()
  await store.close()
}

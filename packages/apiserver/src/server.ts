import type { Json } from '@agents/crd'
import { formatApiVersion, parseApiVersion } from '@agents/kube'
import type { Logger } from '@agents/log'
import { createFieldManager } from './apply/create-field-manager.ts'
import { kubeconfig } from './auth/kubeconfig.ts'
import { openKeyFolder } from './auth/pki/key-folder.ts'
import { createKeyMaterial, type KeyMaterial } from './auth/pki/key-material.ts'
import { builtinAdmission } from './builtin/admission/builtin-admission.ts'
import { bootstrapObjects } from './builtin/bootstrap/bootstrap-objects.ts'
import { seedObjects } from './builtin/bootstrap/seed-objects.ts'
import { type BuiltinDependencies, builtinResources } from './builtin/builtin-resources.ts'
import { createGoShapes } from './builtin/go-json/shape.ts'
import { createProtobufDecoder } from './builtin/protobuf/decode-protobuf.ts'
import { createBuiltinSchemas } from './builtin/schema/builtin-schemas.ts'
import { readBuiltinTables } from './builtin/schema/tables.ts'
import { type Access, type AuthorizationMode, createAccess } from './composition/access.ts'
import { startBackground } from './composition/background.ts'
import { namespaceProtection, storedNamespaceState } from './composition/stored-namespaces.ts'
import { recordTokenRequests } from './composition/token-requests.ts'
import type { BackgroundTask } from './controllers/background-task.ts'
import { createDiscoveryHandler } from './discovery/discovery-handler.ts'
import type { UserInfo } from './endpoints/user-info.ts'
import { createOpenApiHandler } from './openapi/open-api-handler.ts'
import { applyJsonPatch } from './patch/json-patch.ts'
import { applyMergePatch } from './patch/merge-patch.ts'
import { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts'
import { lateDefinitionRules } from './registry/definition/late-rules.ts'
import type { Registry } from './registry/registry.ts'
import { admissionChain } from './rest/admission.ts'
import type { RestEnvironment } from './rest/environment.ts'
import type { FieldManager } from './rest/field-manager.ts'
import type { Patcher } from './rest/patcher.ts'
import { type ServerCore, type ServerParts, startServerFrame } from './server-frame.ts'
import { createTableConverter } from './table/to-table.ts'

export interface ApiServerOptions {
  /** Where the data is kept. Without it everything is in memory and gone at the end. */
  readonly dataDir?: string
  /** Where keys and certificates are kept. Without it they live as long as the server. */
  readonly certDir?: string
  /** A free one unless said. */
  readonly port?: number
  readonly logger: Logger
  readonly clock?: () => Date
  /** RBAC unless said. */
  readonly authorizationMode?: AuthorizationMode
  /** Bearer tokens and whose they are, beside the administrator's. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>
  /** By the names of kube-apiserver's flag: `NamespaceLifecycle`, `ServiceAccount`, … */
  readonly disabledAdmission?: readonly string[]
  readonly hosts?: readonly string[]
  readonly podLogs?: BuiltinDependencies['podLogs']
  /** How many changes are remembered for watches and lists that begin in the past. */
  readonly historyEvents?: number
  /** Called once when the store can no longer write. What is in memory may then differ from the disk: end the process. */
  readonly onFatal?: (error: Error) => void
}

export interface ApiServer {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** PEM; what clients verify the server with. */
  readonly caCertificate: string
  /** Of an administrator. */
  readonly adminToken: string
  /** Text of a kubeconfig for the administrator, complete in itself. */
  readonly kubeconfig: string
  readonly environment: RestEnvironment
  readonly registry: Registry
  /** Ends the watches, lets requests under way finish and closes the store. */
  stop(): Promise<void>
}

/** Starts the embedded Kubernetes API server on loopback. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const clock = options.clock ?? (() => new Date())
  const keys =
    options.certDir === undefined
      ? createKeyMaterial(clock())
      : await openKeyFolder(options.certDir, clock())
  const frame = await startServerFrame({
    port: options.port ?? 0,
    logger: options.logger,
    clock,
    hosts: options.hosts ?? [],
    tls: {
      key: keys.servingKey,
      certificate: keys.servingCertificate,
      clientCa: keys.caCertificate,
    },
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.historyEvents === undefined ? {} : { historyEvents: options.historyEvents }),
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
    parts: (core) => partsOf(core, options, keys),
  })
  return {
    url: frame.url,
    port: frame.port,
    caCertificate: keys.caCertificate,
    adminToken: keys.adminToken,
    kubeconfig: kubeconfig({
      server: frame.url,
      caCertificate: keys.caCertificate,
      token: keys.adminToken,
      name: 'agents',
    }),
    environment: frame.environment,
    registry: frame.registry,
    stop: frame.stop,
  }
}

/** What the service `kubernetes` leads to when any free port will do. */
const defaultPort = 6443

const definitionId = 'apiextensions.v1.CustomResourceDefinition'
const tokenRequestId = 'authentication.v1.TokenRequest'

function partsOf(core: ServerCore, options: ApiServerOptions, keys: KeyMaterial): ServerParts {
  const { store, registry, clock } = core
  const tables = readBuiltinTables()
  const shapes = createGoShapes(tables)
  const access = createAccess({
    store,
    clock,
    keys,
    staticTokens: options.staticTokens ?? new Map(),
    mode: options.authorizationMode ?? 'RBAC',
  })
  const schemas = createBuiltinSchemas(tables.definitions)
  const fieldManager = fieldManagerOf(registry)
  const late: { environment?: RestEnvironment } = {}
  registry.replace(
    'builtin',
    recordTokenRequests(
      builtinsOf(core, options, access, late, tables),
      () => schemas.schema(tokenRequestId),
      fieldManager,
    ),
  )

  const disabled = new Set(options.disabledAdmission ?? [])
  const plugins = [
    ['NamespaceLifecycle', namespaceProtection] as const,
    ...builtinAdmission(store),
  ].filter(([name]) => !disabled.has(name))
  let background: BackgroundTask[] = []
  return {
    definitionRules: lateDefinitionRules(),
    definitionSchema: schemas.schema(definitionId),
    pruneDefinition: (definition) =>
      shapes.shape(definitionId, definition as unknown as Record<string, unknown>),
    authenticate: access.authenticate,
    authorize: access.authorize,
    patcher,
    fieldManager,
    toTable: createTableConverter(),
    decodeProtobuf: createProtobufDecoder(tables),
    admission: admissionChain([access.escalation, ...plugins.map(([, plugin]) => plugin)]),
    ...(disabled.has('NamespaceLifecycle') ? {} : { namespaceState: storedNamespaceState(store) }),
    plain: [
      createDiscoveryHandler(registry, tables.groupVersions),
      createOpenApiHandler(registry, tables, clock),
    ],
    start: async (environment) => {
      late.environment = environment
      const now = clock()
      const objects = bootstrapObjects({ tables, port: options.port || defaultPort, now })
      await seedObjects(environment, registry, objects, now)
      background = startBackground(core, environment, keys.caCertificate)
    },
    stop: async () => {
      await Promise.all(background.map((task) => task.stop()))
      access.stop()
    },
  }
}

function fieldManagerOf(registry: ServerCore['registry']): FieldManager {
  return createFieldManager({
    otherVersion: (resource, apiVersion) => {
      const { group, version } = parseApiVersion(apiVersion)
      const other = registry.find(group, version, resource.plural)
      return other === undefined || formatApiVersion(other) !== apiVersion
        ? undefined
        : { resource: other }
    },
  })
}

function builtinsOf(
  { store }: ServerCore,
  { podLogs }: ApiServerOptions,
  { authorizer, authenticator, tokens }: Access,
  late: { environment?: RestEnvironment },
  tables: BuiltinDependencies['tables'],
) {
  return builtinResources({
    tables,
    store,
    authorizer,
    authenticator,
    tokens,
    rest: () => {
      if (late.environment === undefined) throw new Error('a request came before the start')
      return late.environment
    },
    ...(podLogs === undefined ? {} : { podLogs }),
  })
}

const patcher: Patcher = {
  json: (object, operations) => applyJsonPatch(object as unknown as Json, operations),
  merge: (object, patch) => applyMergePatch(object as unknown as Json, patch),
  strategic: (object, patch, { schema }) =>
    applyStrategicMergePatch(object as unknown as Json, patch, schema),
}

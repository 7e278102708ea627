import type { Json } from '@agents/crd'
import { formatApiVersion, parseApiVersion } from '@agents/kube'
import type { Logger } from '@agents/log'
import { createFieldManager } from './apply/create-field-manager.ts'
import type { AuthorizationMode } from './auth/authorization-mode.ts'
import { kubeconfig } from './auth/kubeconfig.ts'
import { openKeyFolder } from './auth/pki/key-folder.ts'
import { createKeyMaterial, type KeyMaterial } from './auth/pki/key-material.ts'
import { builtinAdmission } from './builtin/admission/builtin-admission.ts'
import { certificateAdmission } from './builtin/admission/certificates.ts'
import { bootstrapObjects } from './builtin/bootstrap/bootstrap-objects.ts'
import { seedObjects } from './builtin/bootstrap/seed-objects.ts'
import {
  type BuiltinDependencies,
  builtinResources,
  definitionIds,
} from './builtin/builtin-resources.ts'
import { createGoShapes } from './builtin/go-json/shape.ts'
import { createProtobufDecoder } from './builtin/protobuf/decode-protobuf.ts'
import { createBuiltinSchemas } from './builtin/schema/builtin-schemas.ts'
import { readBuiltinTables } from './builtin/schema/tables.ts'
import { type Access, createAccess } from './composition/access.ts'
import { createAdmissionPolicies } from './composition/admission-policies.ts'
import { startBackground } from './composition/background.ts'
import { namespaceProtection, storedNamespaceState } from './composition/stored-namespaces.ts'
import { recordTokenRequests } from './composition/token-requests.ts'
import type { BackgroundTask } from './controllers/background-task.ts'
import { lateDefinitionRules } from './custom-resources/late-rules.ts'
import { createDiscoveryHandler } from './discovery/discovery-handler.ts'
import { createRequestThread } from './offload/request-thread.ts'
import { createOpenApiHandler } from './openapi/open-api-handler.ts'
import { applyJsonPatch } from './patch/json-patch.ts'
import { applyMergePatch } from './patch/merge-patch.ts'
import { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts'
import type { Registry } from './registry/registry.ts'
import type { UserInfo } from './request/user-info.ts'
import { admissionChain } from './rest/admission.ts'
import type { OnWrite, RestEnvironment } from './rest/environment.ts'
import type { FieldManager } from './rest/field-manager.ts'
import type { Patcher } from './rest/patcher.ts'
import { type ServerCore, type ServerParts, startServerFrame } from './server-frame.ts'
import { createTableConverter } from './table/to-table.ts'

export interface ApiServerOptions {
  /** Directory of the data. If omitted, objects are kept in memory and lost when the server stops. */
  readonly dataDir?: string
  /** Directory of keys and certificates. If omitted, new ones are created at each start and never written. */
  readonly certDir?: string
  /** If omitted, a free port is picked. */
  readonly port?: number
  readonly logger: Logger
  readonly clock?: () => Date
  /** If omitted, defaults to RBAC. */
  readonly authorizationMode?: AuthorizationMode
  /** Users by bearer token, in addition to the administrator. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>
  /** Names of admission plugins as in kube-apiserver's flag: `NamespaceLifecycle`, `ServiceAccount`, … */
  readonly disabledAdmission?: readonly string[]
  readonly hosts?: readonly string[]
  readonly podLogs?: BuiltinDependencies['podLogs']
  readonly podStreams?: BuiltinDependencies['podStreams']
  /** Number of past changes that watches and lists can start from. */
  readonly historyEvents?: number
  /**
   * Called with the user and the resource version of each completed write of a request. The user is the one that the
   * server authenticated or, if a permitted user impersonates another, the other.
   */
  readonly onWrite?: OnWrite
  /** Called once when the store can no longer write. Memory and disk may then differ, so the process should exit. */
  readonly onFatal?: (error: Error) => void
}

export interface ApiServer {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** The CA certificate, in PEM, that clients verify the server with. */
  readonly caCertificate: string
  /** Bearer token of the administrator. */
  readonly adminToken: string
  /** A self-contained kubeconfig for the administrator, as YAML. */
  readonly kubeconfig: string
  readonly environment: RestEnvironment
  readonly registry: Registry
  /** Ends all watches, waits for running requests and closes the store. */
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
    ...(options.onWrite === undefined ? {} : { onWrite: options.onWrite }),
    parts: (core) => partsOf(core, options, keys),
    offload: ({ store, logger }) =>
      createRequestThread(
        store,
        {
          keys,
          authorizationMode: options.authorizationMode ?? 'RBAC',
          staticTokens: options.staticTokens ?? new Map(),
          disabledAdmission: options.disabledAdmission ?? [],
          hosts: options.hosts ?? [],
        },
        logger,
        options.onWrite,
      ),
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

/** Port of the Service `kubernetes` when the server listens on any free port. */
const defaultPort = 6443

const definitionId = 'apiextensions.v1.CustomResourceDefinition'
const tokenRequestId = 'authentication.v1.TokenRequest'

type PartOptions = Pick<
  ApiServerOptions,
  'authorizationMode' | 'staticTokens' | 'disabledAdmission' | 'podLogs' | 'podStreams' | 'port'
>

export function partsOf(core: ServerCore, options: PartOptions, keys: KeyMaterial): ServerParts {
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
  const ids = definitionIds(tables)
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
    ...certificateAdmission(access.authorizer),
  ].filter(([name]) => !disabled.has(name))
  const ownAdmission = admissionChain([access.escalation, ...plugins.map(([, plugin]) => plugin)])
  const policies = createAdmissionPolicies(core, access.authorizer, disabled, (kind) => {
    const id = ids.get(`${formatApiVersion(kind)}/${kind.kind}`)
    return id === undefined ? undefined : schemas.schema(id)
  })
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
    admission: policies.after(ownAdmission),
    ...(disabled.has('NamespaceLifecycle') ? {} : { namespaceState: storedNamespaceState(store) }),
    plain: [
      createDiscoveryHandler(registry, tables.groupVersions),
      createOpenApiHandler(registry, tables, clock),
    ],
    adopt: (environment) => {
      late.environment = environment
    },
    start: async (environment) => {
      const now = clock()
      const objects = bootstrapObjects({ tables, port: options.port || defaultPort, now })
      // Stored admission policies are skipped: none of them may keep the server from starting.
      await seedObjects({ ...environment, admission: ownAdmission }, registry, objects, now)
      background = startBackground(core, environment, keys, tables)
    },
    stop: async () => {
      await Promise.all(background.map((task) => task.stop()))
      access.stop()
      policies.stop()
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
  { podLogs, podStreams }: PartOptions,
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
      if (late.environment === undefined)
        throw new Error('a request arrived before the server was started')
      return late.environment
    },
    ...(podLogs === undefined ? {} : { podLogs }),
    ...(podStreams === undefined ? {} : { podStreams }),
  })
}

const patcher: Patcher = {
  json: (object, operations) => applyJsonPatch(object as unknown as Json, operations),
  merge: (object, patch) => applyMergePatch(object as unknown as Json, patch),
  strategic: (object, patch, { schema }) =>
    applyStrategicMergePatch(object as unknown as Json, patch, schema),
}

import type { HealthCheck, Runnable } from '@agents/controller'
import type { ClusterPorts } from '@agents/process'
import type { Kysely } from 'kysely'
import manifest from '../../../package.json' with { type: 'json' }
import type { ControlPlaneConfig } from '../../config/control-plane.ts'
import type { ArchivedRuns } from '../api/archived-runs.ts'
import type { Audit } from '../audit/open-audit.ts'
import type { Database } from '../database-schema.ts'
import type { OpenApi } from '../http/open-api.ts'
import { serveApi } from '../http/serve-api.ts'
import type { Deliveries } from '../inbox/deliveries.ts'
import { controllersPlace, statusForApi, statusPorts } from './status-ports.ts'

/** Undefined if people cannot sign in at a provider. The rules of the settings see that what belongs to it is there. */
function signInSettings({ oidc }: ControlPlaneConfig, database: Kysely<Database> | undefined) {
  const { issuerUrl, clientId, clientSecret, publicUrl, usernamePrefix, groupsPrefix } = oidc
  if (!issuerUrl || !clientId || !clientSecret || !publicUrl || !database) return undefined
  const provider = {
    ...{ ...oidc, issuerUrl, clientId, clientSecret, publicUrl },
    usernamePrefix: usernamePrefix === '-' ? '' : usernamePrefix,
    groupsPrefix: groupsPrefix === '-' ? '' : groupsPrefix,
  }
  return { provider, database }
}

/** The HTTP API of the control plane. */
export function httpPart(
  config: ControlPlaneConfig,
  ports: ClusterPorts,
  stores: {
    readonly archive: ArchivedRuns | undefined
    readonly audit: Audit | undefined
    readonly deliveries: Deliveries | undefined
  },
  databases: {
    readonly inbox: Kysely<Database> | undefined
    /** With limits of its own. */
    readonly sessions: Kysely<Database> | undefined
    readonly check: HealthCheck | undefined
  },
  onOpen?: (api: OpenApi) => void,
): Runnable {
  const { host, port, certificateFile, keyFile, plaintext } = config.api
  const { webhooks } = config
  const tls =
    certificateFile !== undefined && keyFile !== undefined
      ? { certificate: certificateFile, key: keyFile }
      : undefined
  const server = serveApi({
    ...ports,
    listen: { host, port, tls },
    opensAtOnce: true,
    ...(onOpen && { onOpen }),
    version: manifest.version,
    namespaces: config.agents.namespaces,
    artifacts: config,
    consoleDir: config.api.consoleDir,
    ...stores,
    controllers: controllersPlace(config, ports.client),
    status: statusForApi(
      { ...ports, ...statusPorts(config, ports, databases.check) },
      { enabled: config.grpc.enabled, address: `${config.grpc.host}:${config.grpc.port}` },
    ),
    signIn: signInSettings(config, databases.sessions),
    webhooks: webhooks.enabled
      ? {
          database: databases.inbox && Promise.resolve(databases.inbox),
          queueSize: webhooks.queueSize,
          refusedSecrets: config.agents.admission.platformSecrets,
        }
      : undefined,
  })
  return {
    name: server.name,
    start: async () => {
      if (plaintext) ports.log.warn('the API is served without TLS: tokens can be read on the way')
      await server.start()
      ports.log.info('API listening', { address: server.url })
    },
    run: (signal) => server.run(signal),
  }
}

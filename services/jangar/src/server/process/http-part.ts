import type { Runnable } from '@agents/controller'
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

/** The HTTP API of the control plane. */
export function httpPart(
  config: ControlPlaneConfig,
  ports: ClusterPorts,
  stores: {
    readonly archive: ArchivedRuns | undefined
    readonly audit: Audit | undefined
    readonly deliveries: Deliveries | undefined
  },
  db: Kysely<Database> | undefined,
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
    webhooks: webhooks.enabled
      ? {
          database: db && Promise.resolve(db),
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

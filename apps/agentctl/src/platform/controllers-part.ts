import {
  type Archive,
  controllers,
  controllersConfig,
  type LocalInbox,
  startControllers,
  type UsageLedger,
} from '@agents/jangar'
import { embedService } from '@agents/process'
import manifest from '../../package.json' with { type: 'json' }
import { controllerVariables } from './controller-variables.ts'
import type { PlatformPart } from './platform-part.ts'

interface ControllersOptions {
  readonly archive: Archive['keep']
  readonly ledger: UsageLedger
  readonly inbox: Promise<LocalInbox>
  /** Where pods upload to. Undefined if they cannot reach the API, as those of a container engine. */
  readonly uploadUrl: Promise<string> | undefined
}

/** The controllers of the agents groups. */
export function controllersPart(options: ControllersOptions): PlatformPart {
  const { archive, ledger, uploadUrl } = options
  return {
    name: 'controllers',
    needsKinds: true,
    start: async ({ client, connection, informers, log, folder, environment, onFailure }) => {
      const uploads = uploadUrl && {
        JANGAR_ARTIFACTS_UPLOAD_URL: await uploadUrl,
        JANGAR_ARTIFACTS_UPLOAD_CA: await connection.tls?.authority?.(),
      }
      const config = controllersConfig({
        ...uploads,
        ...controllerVariables(environment, folder),
      })
      const inbox = config.webhooks.enabled ? readerOf(options.inbox) : undefined
      const partLog = log.with({ part: 'controllers' })
      const running = await embedService({
        service: 'agents-controllers',
        version: manifest.version,
        settings: controllers,
        config,
        log: partLog,
        start: (tracer) =>
          startControllers({
            ...{ client, informers, config, log: partLog, archive, ledger, tracer },
            ...(inbox && { inbox }),
          }),
        onFailure,
      })
      await running.ready
      return running
    },
  }
}

/** The database may still be starting. */
function readerOf(inbox: Promise<LocalInbox>): LocalInbox['reader'] {
  return {
    take: async (most) => (await inbox).reader.take(most),
    settle: async (delivery, outcome) => (await inbox).reader.settle(delivery, outcome),
    forget: async (before) => (await inbox).reader.forget(before),
  }
}

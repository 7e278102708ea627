import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ArchivedRuns,
  type Audit,
  artifactSettings,
  type Deliveries,
  type LocalApi,
  type LocalInbox,
  startLocalApi,
  webhookSettings,
} from '@agents/jangar'
import { CommandFailure } from '../cli/command-failure.ts'
import { writePrivateFile } from '../running-platform/platform-record.ts'
import { controllerVariables } from './controller-variables.ts'
import type { PlatformPart } from './platform-part.ts'
import { isTaken } from './start-server.ts'
import type { StateFolder } from './state-folder.ts'

interface ApiPart {
  readonly part: PlatformPart
  /** Undefined until the part has started. */
  readonly url: () => string | undefined
  /** Resolves when the part has started. */
  readonly started: Promise<string>
}

const usualPort = 8443

interface ApiOptions {
  /** If undefined: that of the last time, or the usual one, or a free one. */
  readonly port: number | undefined
  /** The folder with the files of the console, which may be missing. */
  readonly consoleDir: string
  readonly archive: ArchivedRuns
  readonly audit: Audit
  readonly inbox: Promise<LocalInbox>
}

/** The HTTP API, on loopback with the certificate of the API server. */
export function apiPart({ port, consoleDir, archive, audit, inbox }: ApiOptions): ApiPart {
  let api: LocalApi | undefined
  const started = Promise.withResolvers<string>()
  // The platform reports the failure of the part itself.
  started.promise.catch(() => undefined)
  const part: PlatformPart = {
    name: 'api',
    needsKinds: false,
    start: async ({ client, connection, informers, log, folder, environment, onFailure }) => {
      const variables = controllerVariables(environment, folder)
      const artifacts = artifactSettings(variables)
      const taken = webhookSettings(variables)
      const database = inbox.then((opened) => opened.database)
      database.catch(() => undefined)
      const webhooks = taken && { ...taken, database }
      const tls = {
        certificate: join(folder.cluster, 'pki', 'apiserver.crt'),
        key: join(folder.cluster, 'pki', 'apiserver.key'),
      }
      const start = (at: number): Promise<LocalApi> =>
        startLocalApi({
          listen: { host: '127.0.0.1', port: at, tls },
          ...{ client, connection, informers, artifacts, archive, audit, consoleDir, onFailure },
          ...{ webhooks, deliveries: deliveriesOf(inbox) },
          log: log.with({ part: 'api' }),
        })
      try {
        api = port === undefined ? await startAnywhere(folder, start) : await startAt(port, start)
        await writePrivateFile(portFile(folder), `${api.port}\n`)
      } catch (error) {
        started.reject(error)
        throw error
      }
      started.resolve(api.url)
      return api
    },
  }
  return { part, url: () => api?.url, started: started.promise }
}

/** The database may still be starting. */
function deliveriesOf(inbox: Promise<LocalInbox>): Deliveries {
  return {
    list: async (question) => (await inbox).deliveries.list(question),
    find: async (namespace, id) => (await inbox).deliveries.find(namespace, id),
    replay: async (namespace, id) => (await inbox).deliveries.replay(namespace, id),
  }
}

async function startAt(port: number, start: (at: number) => Promise<LocalApi>): Promise<LocalApi> {
  return await start(port).catch((cause: unknown) => {
    if (!isTaken(cause)) throw cause
    const advice = ['Choose another port with --http-port, or omit the flag to use any free port.']
    throw new CommandFailure(`port ${port} is already in use`, { advice, cause })
  })
}

async function startAnywhere(
  folder: StateFolder,
  start: (at: number) => Promise<LocalApi>,
): Promise<LocalApi> {
  const text = await readFile(portFile(folder), 'utf8').catch(() => '')
  const last = /^\d{1,5}\n$/.test(text) ? Number(text) : usualPort
  return await start(last <= 65_535 ? last : usualPort).catch((error: unknown) => {
    if (isTaken(error)) return start(0)
    throw error
  })
}

/** Keeps the port of the last start, so that addresses that were written down stay valid. */
function portFile({ root }: StateFolder): string {
  return join(root, 'http-port')
}

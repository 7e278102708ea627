import { setTimeout as delay } from 'node:timers/promises'
import {
  bearer,
  type Connection,
  createInformers,
  createKubeClient,
  type KubeClient,
  staticCredentials,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { installKinds } from './install-kinds.ts'
import type { PlatformPart, RunningPart } from './platform-part.ts'
import { startServer } from './start-server.ts'
import type { StateFolder } from './state-folder.ts'
import { writeKubeconfig } from './write-kubeconfig.ts'

export interface LocalPlatformOptions {
  readonly folder: StateFolder
  /** Undefined: the last one, or the usual one, or any that is free. */
  readonly port: number | undefined
  /** Written beside the one in the folder. */
  readonly kubeconfig: string | undefined
  readonly parts: readonly PlatformPart[]
  readonly log: Logger
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Told of each thing that is done, for those who measure. */
  readonly onMilestone: (what: string) => void
  /** A part has ended by itself: stop the platform. */
  readonly onFailure: (error: unknown) => void
}

export interface LocalPlatform {
  readonly url: string
  readonly kubeconfig: string
  readonly client: KubeClient
  /** Lets those parts begin that nobody waits for. They say themselves when they cannot. */
  startBackground(): void
  /** Ends everything in order, in bounded time. What runs in pods runs on. */
  stop(): Promise<void>
}

/** Starts an API server and all that belongs to it in this process. Resolves when runs can be run. */
export async function startLocalPlatform(options: LocalPlatformOptions): Promise<LocalPlatform> {
  const { folder, log, onMilestone } = options
  const ending = createEnding(log)
  try {
    const server = await startServer(folder, {
      port: options.port,
      log,
      onFatal: options.onFailure,
    })
    ending.add('API server', () => server.stop())
    onMilestone('API server ready')
    const kubeconfig = await writeKubeconfig(
      server.kubeconfig,
      folder.kubeconfig,
      options.kubeconfig,
    )
    const connection: Connection = {
      server: server.url,
      namespace: platformNamespace,
      tls: { authority: () => Promise.resolve(server.caCertificate) },
      credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
    }
    const client = createKubeClient(connection, {
      userAgent: 'agents-local',
      fieldManager: 'agents-local',
    })
    const informers = createInformers(client)
    ending.add('client', async () => {
      await informers.stop()
      client.close()
    })
    const { environment, onFailure, parts } = options
    const context = { client, connection, informers, log, folder, environment, onFailure }
    const giveUp = new AbortController()
    ending.add('kinds', async () => giveUp.abort(new Error('the platform stops')))
    const kinds = installKinds(client, giveUp.signal).then(() => onMilestone('kinds installed'))
    const begin = async (part: PlatformPart): Promise<RunningPart> => {
      if (part.needsKinds) await kinds
      const running = await part.start(context)
      onMilestone(`${part.name} started`)
      return running
    }
    const later = Promise.withResolvers<void>()
    const started = parts.map((part) =>
      part.inBackground === true ? later.promise.then(() => begin(part)) : begin(part),
    )
    for (const background of [later.promise, ...started]) {
      background.catch((error: unknown) => log.debug('a part did not start', { error }))
    }
    // In the order of the list, whichever was ready first: who comes later builds on who came before.
    for (const [index, part] of parts.entries()) {
      ending.add(part.name, async () => {
        later.reject(new Error('the platform stops'))
        await (await started[index]?.catch(() => undefined))?.stop()
      })
    }
    await allDone([kinds, ...started.filter((_, index) => parts[index]?.inBackground !== true)])
    return {
      url: server.url,
      kubeconfig,
      client,
      startBackground: later.resolve,
      stop: ending.run,
    }
  } catch (error) {
    await ending.run()
    throw error
  }
}

/** Waits for all also when one fails, so that what is to be stopped has started. */
async function allDone(tasks: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

interface Ending {
  add(name: string, stop: () => Promise<void>): void
  /** In the opposite order of the beginning. Harmless to repeat. */
  run(): Promise<void>
}

/** For one part. */
const stopMs = 8000

function createEnding(log: Logger): Ending {
  const steps: { name: string; stop: () => Promise<void> }[] = []
  const run = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { name, stop } = step
      const late = new AbortController()
      try {
        await Promise.race([
          stop(),
          delay(stopMs, undefined, { signal: late.signal }).then(() => {
            throw new Error(`it did not stop within ${stopMs} ms`)
          }),
        ])
      } catch (error) {
        log.error('a part did not stop cleanly', { part: name, error })
      } finally {
        late.abort()
      }
    }
  }
  return { add: (name, stop) => void steps.push({ name, stop }), run }
}

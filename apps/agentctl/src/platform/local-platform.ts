import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  bearer,
  type Connection,
  createInformers,
  createKubeClient,
  type KubeClient,
  type PodStreams,
  staticCredentials,
} from '@agents/kube'
import { latePodStreams } from '@agents/local-node'
import type { Logger } from '@agents/log'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { installKinds } from './install-kinds.ts'
import type { PlatformPart, RunningPart } from './platform-part.ts'
import { startServer } from './start-server.ts'
import type { StateFolder } from './state-folder.ts'
import { writeKubeconfig } from './write-kubeconfig.ts'
import { WriteUsers } from './write-users.ts'

interface LocalPlatformOptions {
  readonly folder: StateFolder
  /** If undefined: the last port, 6443, or any free one. */
  readonly port: number | undefined
  /** Path of a second kubeconfig, in addition to that in the state folder. */
  readonly kubeconfig: string | undefined
  readonly parts: readonly PlatformPart[]
  readonly log: Logger
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called for each completed step, for measurements. */
  readonly onMilestone: (what: string) => void
  /** Called when a part has failed and the platform has to stop. */
  readonly onFailure: (error: unknown) => void
}

interface LocalPlatform {
  readonly url: string
  readonly kubeconfig: string
  readonly client: KubeClient
  /** Starts the background parts. They report failures themselves. */
  startBackground(): void
  /** Stops all parts in order, in bounded time. Processes of pods keep running. */
  stop(): Promise<void>
}

/** Starts an API server and all other parts in this process. Resolves when runs can be started. */
export async function startLocalPlatform(options: LocalPlatformOptions): Promise<LocalPlatform> {
  const { folder, log, onMilestone } = options
  const ending = createShutdown(log)
  let podStreams: PodStreams | undefined
  try {
    const users = new WriteUsers()
    const platformToken = randomBytes(32).toString('base64url')
    const server = await startServer(folder, {
      port: options.port,
      log,
      platformToken,
      onWrite: users.record,
      onFatal: options.onFailure,
      podStreams: latePodStreams(() => podStreams),
    })
    ending.add('API server', () => server.stop())
    onMilestone('API server ready')
    const kubeconfig = await writeKubeconfig(server.kubeconfig, folder, options.kubeconfig)
    const connection: Connection = {
      server: server.url,
      namespace: platformNamespace,
      tls: { authority: () => Promise.resolve(server.caCertificate) },
      credentials: staticCredentials({ authorization: bearer(platformToken) }),
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
    const { userOf } = users
    const context = { client, connection, informers, log, folder, environment, userOf, onFailure }
    const giveUp = new AbortController()
    ending.add('kinds', async () => giveUp.abort(new Error('platform stopping')))
    const kinds = installKinds(client, giveUp.signal).then(() => onMilestone('kinds installed'))
    const begin = async (part: PlatformPart): Promise<RunningPart> => {
      if (part.needsKinds) await kinds
      const running = await part.start(context)
      podStreams ??= running.podStreams
      onMilestone(`${part.name} started`)
      return running
    }
    const later = Promise.withResolvers<void>()
    const started = parts.map((part) =>
      part.inBackground === true ? later.promise.then(() => begin(part)) : begin(part),
    )
    for (const background of [later.promise, ...started]) {
      background.catch((error: unknown) => log.debug('part did not start', { error }))
    }
    // In the order of the list, whichever was ready first: later parts depend on earlier ones.
    for (const [index, part] of parts.entries()) {
      ending.add(part.name, async () => {
        later.reject(new Error('platform stopping'))
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

/** Waits for all tasks even if one fails, so that everything that has started can be stopped. */
async function allDone(tasks: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

interface Shutdown {
  add(name: string, stop: () => Promise<void>): void
  /** Stops the parts in reverse order. Can be called again. */
  run(): Promise<void>
}

/** For one part. */
const stopMs = 8000

function createShutdown(log: Logger): Shutdown {
  const steps: { name: string; stop: () => Promise<void> }[] = []
  const run = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const { name, stop } = step
      const late = new AbortController()
      try {
        await Promise.race([
          stop(),
          delay(stopMs, undefined, { signal: late.signal }).then(() => {
            throw new Error(`no stop within ${stopMs} ms`)
          }),
        ])
      } catch (error) {
        log.error('part did not stop cleanly', { part: name, error })
      } finally {
        late.abort()
      }
    }
  }
  return { add: (name, stop) => void steps.push({ name, stop }), run }
}

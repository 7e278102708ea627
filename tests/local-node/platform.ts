import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import {
  bearer,
  createInformers,
  createKubeClient,
  isNotFound,
  type Job,
  JobKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type LogOptions,
  type Pod,
  PodKind,
  staticCredentials,
} from '@agents/kube'
import {
  createPodLogs,
  type LocalNode,
  type LocalNodeOptions,
  startLocalNode,
} from '@agents/local-node'
import { createLogger } from '@agents/log'

/** A server and a node, as the local platform has them. */
export interface Platform {
  readonly server: ApiServer
  readonly client: KubeClient
  readonly stateDir: string
  readonly node: LocalNode
  /** Ends the node and starts another on the same folder; `meanwhile` there is none. */
  restartNode(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export type NodeSettings = Partial<Omit<LocalNodeOptions, 'client' | 'informers' | 'logger'>>

export const logger = createLogger({ sink: { write: () => undefined } })

/** Short, so that nobody waits; still long enough to tell one wait from the next. */
export const quick = {
  jobBackoff: { baseMs: 200, capMs: 2000 },
  restartBackoff: { baseMs: 300, capMs: 2000, resetAfterMs: 600_000 },
} as const

export async function startPlatform(settings: NodeSettings = {}): Promise<Platform> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-node-')))
  const server = await startApiServer({ logger, podLogs: createPodLogs(stateDir) })
  const client = clientOf(server)
  let { node, stop } = await startNode(client, stateDir, settings)
  return {
    server,
    client,
    stateDir,
    get node() {
      return node
    },
    restartNode: async (meanwhile) => {
      await stop()
      await meanwhile?.()
      ;({ node, stop } = await startNode(client, stateDir, settings))
    },
    stop: async () => {
      await endAll(client)
      await stop()
      client.close()
      await server.stop()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function clientOf({ url, caCertificate, adminToken }: ApiServer): KubeClient {
  return createKubeClient({
    server: url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(caCertificate) },
    credentials: staticCredentials({ authorization: bearer(adminToken) }),
  })
}

async function startNode(client: KubeClient, stateDir: string, settings: NodeSettings) {
  const informers = createInformers(client)
  const node = await startLocalNode({
    client,
    informers,
    logger,
    stateDir,
    nodeName: 'local',
    baseEnvironment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    ...quick,
    ...settings,
  })
  const stop = async (): Promise<void> => {
    await node.stop()
    await informers.stop()
  }
  return { node, stop }
}

/** No process of a test may outlive it. */
async function endAll(client: KubeClient): Promise<void> {
  for await (const job of client.each(JobKind)) {
    await client.delete(JobKind, job.metadata, { propagationPolicy: 'Background' })
  }
  for await (const pod of client.each(PodKind)) {
    await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 1 }).catch(() => undefined)
  }
  await until('no pods', async () =>
    (await client.list(PodKind)).items.length === 0 ? true : undefined,
  )
}

/** Asks until there is an answer. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  timeoutMs = 120_000,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`)
    await delay(20)
  }
}

export async function untilGone(
  client: KubeClient,
  kind: KindRef,
  key: { name: string; namespace?: string | undefined },
): Promise<void> {
  await until(`${key.name} gone`, () =>
    client.get(kind, key).then(
      () => undefined,
      (error: unknown) => {
        if (isNotFound(error)) return true
        throw error
      },
    ),
  )
}

export function untilObject<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  key: { name: string; namespace?: string | undefined },
  isThere: (object: T) => boolean,
): Promise<T> {
  let last: T | undefined
  return until(`${kind.kind} ${key.name}`, async () => {
    last = await client.get(kind, key).catch(() => undefined)
    return last !== undefined && isThere(last) ? last : undefined
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; last seen: ${JSON.stringify(last?.status)}`, {
      cause: error,
    })
  })
}

export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function hasCondition({ status }: Job, type: string): boolean {
  return (status?.conditions ?? []).some((one) => one.type === type && one.status === 'True')
}

export function isFinished(job: Job): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed')
}

/** What a script says to wait until the test writes this file; it must be one that the node's machine has under the same name. */
export const untilFile = (path: string): string => `until [ -e ${path} ]; do sleep 0.05; done`

export const inDefault = (name: string) => ({ namespace: 'default', name })

export type PodParts = Partial<Pod['spec']> & { name: string; script?: string }

/** A pod whose one container runs a shell script, unless `containers` says otherwise. */
export function podOf({ name, script = 'true', ...spec }: PodParts) {
  return {
    metadata: inDefault(name),
    spec: {
      restartPolicy: 'Never' as const,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'local', command: ['sh', '-c', script] }],
      ...spec,
    },
  }
}

export function jobOf(
  name: string,
  script: string,
  spec: Partial<Job['spec']> = {},
  podSpec: Partial<Pod['spec']> = {},
) {
  const { spec: template } = podOf({ name, script, ...podSpec })
  return { metadata: inDefault(name), spec: { template: { spec: template }, ...spec } }
}

export async function logOf(client: KubeClient, name: string, options: LogOptions = {}) {
  const stream = await client.podLog(inDefault(name), options)
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Runs the pod to its end. */
export async function runPod(client: KubeClient, parts: PodParts): Promise<Pod> {
  await client.create(PodKind, podOf(parts))
  return untilObject(client, PodKind, inDefault(parts.name), isOver)
}

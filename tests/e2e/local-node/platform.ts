import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type ApiServerOptions, startApiServer } from '@agents/apiserver'
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
  latePodStreams,
  startLocalNode,
} from '@agents/local-node'
import { silentLogger } from '@agents/log'
import { until } from '../../support/testbed/until.ts'

/** A server and a node, as in the local platform. */
export interface Platform {
  readonly server: ApiServer
  readonly client: KubeClient
  readonly stateDir: string
  readonly node: LocalNode
  /** Stops the node and starts another one on the same folder; `meanwhile` runs in between. */
  restartNode(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

type NodeSettings = Partial<Omit<LocalNodeOptions, 'client' | 'informers' | 'logger'>>

export const logger = silentLogger

/** Short backoffs to keep the tests fast, but long enough to be distinguishable. */
export const quick = {
  jobBackoff: { baseMs: 200, capMs: 2000 },
  restartBackoff: { baseMs: 300, capMs: 2000, resetAfterMs: 600_000 },
} as const

export async function startPlatform({
  staticTokens,
  ...settings
}: NodeSettings & Pick<ApiServerOptions, 'staticTokens'> = {}): Promise<Platform> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-node-')))
  let node: LocalNode | undefined
  const server = await startApiServer({
    logger,
    podLogs: createPodLogs(stateDir),
    podStreams: latePodStreams(() => node?.streams),
    ...(staticTokens && { staticTokens }),
  })
  const client = clientOf(server)
  let stop: () => Promise<void>
  ;({ node, stop } = await startNode(client, stateDir, settings))
  return {
    server,
    client,
    stateDir,
    get node() {
      if (node === undefined) throw new Error('the node is not running')
      return node
    },
    restartNode: async (meanwhile) => {
      await stop()
      node = undefined
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

/** No process may outlive its test. */
async function endAll(client: KubeClient): Promise<void> {
  for await (const job of client.each(JobKind)) {
    await client.delete(JobKind, job.metadata, { propagationPolicy: 'Background' })
  }
  for await (const pod of client.each(PodKind)) {
    await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 1 }).catch(() => undefined)
  }
  await until(
    async () => ((await client.list(PodKind)).items.length === 0 ? true : undefined),
    'waited in vain for: no pods',
  )
}

export async function untilGone(
  client: KubeClient,
  kind: KindRef,
  key: { name: string; namespace?: string | undefined },
): Promise<void> {
  await until(
    () =>
      client.get(kind, key).then(
        () => undefined,
        (error: unknown) => {
          if (isNotFound(error)) return true
          throw error
        },
      ),
    `waited in vain for: ${key.name} gone`,
  )
}

export function untilObject<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  key: { name: string; namespace?: string | undefined },
  isThere: (object: T) => boolean,
): Promise<T> {
  let last: T | undefined
  return until(async () => {
    last = await client.get(kind, key).catch(() => undefined)
    return last !== undefined && isThere(last) ? last : undefined
  }, `waited in vain for: ${kind.kind} ${key.name}`).catch((error: unknown) => {
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

/**
 * Script text that waits until the test creates this file, whose path must be the same in the container and on the
 * machine.
 */
export function untilFile(path: string): string {
  return `until [ -e ${path} ]; do sleep 0.05; done`
}

export function inDefault(name: string) {
  return { namespace: 'default', name }
}

export type PodParts = Partial<Pod['spec']> & { name: string; script?: string }

/** A pod with one container that runs a shell script, unless `containers` is set. */
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

/** Runs the pod to completion. */
export async function runPod(client: KubeClient, parts: PodParts): Promise<Pod> {
  await client.create(PodKind, podOf(parts))
  return untilObject(client, PodKind, inDefault(parts.name), isOver)
}

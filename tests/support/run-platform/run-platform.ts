import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentRun, agent, agentProvider, agentRun, kinds } from '@agents/jangar-api'
import {
  createKubeClient,
  isNotFound,
  JobKind,
  type KubeClient,
  kindRef,
  loadKubeconfig,
  NamespaceKind,
  PodKind,
  systemEffects,
} from '@agents/kube'
import { startEmbeddedServer } from '../testbed/embedded-server.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'
import { installKinds } from '../testbed/server.ts'
import { installAdmissionPolicies } from './admission-policies.ts'
import { type PartProcess, startPart } from './part-process.ts'

export const runKind = kindRef<AgentRun>(agentRun)
export const namespace = 'agents'

/** Disables the concurrency, queue and rate limits, so that a test sets only those that it is about. */
export const unlimited: Readonly<Record<string, string>> = {
  JANGAR_AGENT_RUNNER_IMAGE: 'local',
  ...Object.fromEntries(
    ['AGENT', 'NAMESPACE', 'CLUSTER'].map((scope) => [limitName(`CONCURRENCY_${scope}`), '0']),
  ),
  ...Object.fromEntries(
    ['NAMESPACE', 'REPO', 'CLUSTER'].flatMap((scope) => [
      [limitName(`QUEUE_${scope}`), '0'],
      [limitName(`RATE_${scope}`), '0'],
    ]),
  ),
}

export function limitName(limit: string): string {
  return `JANGAR_AGENTS_CONTROLLER_${limit}`
}

/** Server, node and controllers in separate processes, with an agent whose program is a shell. */
export interface RunPlatform {
  readonly client: KubeClient
  /** Process ids of the server and its components, by program name. */
  readonly pids: Readonly<Record<string, number>>
  readonly kubeconfigPath: string
  /** Removed together with the platform. */
  readonly stateDir: string
  startControllers(
    settings?: Readonly<Record<string, string>>,
    nodeFlags?: readonly string[],
  ): Promise<PartProcess>
  /** If `programs` is set, containers find the programs of that folder and run as the users that their pods request. */
  startNode(nodeFlags?: readonly string[], programs?: string): Promise<PartProcess>
  stop(): Promise<void>
}

export type ServerName = 'embedded' | 'real'

export interface RunPlatformOptions {
  /** Flags for the real kube-apiserver. */
  readonly apiServerFlags?: readonly string[]
  /** Flags for Node of the embedded server. */
  readonly serverNodeFlags?: readonly string[]
  /** Whether the platform's admission policies are installed, as by the chart. Default false. */
  readonly admissionPolicies?: boolean
  /** The folder in which the parts keep their state. Default: that for temporary files. */
  readonly stateParent?: string | undefined
}

const unlimitedRequests = ['--kube-api-qps=1000', '--kube-api-burst=2000']

export async function startRunPlatform(
  name: ServerName,
  options: RunPlatformOptions = {},
): Promise<RunPlatform> {
  const { apiServerFlags = [], serverNodeFlags = [], admissionPolicies = false } = options
  const server =
    name === 'embedded'
      ? await startEmbeddedServer({ nodeFlags: serverNodeFlags })
      : await startRealCluster({
          controllerManager: true,
          // By default it sends at most twenty requests per second, and a Job takes five.
          controllerManagerFlags: unlimitedRequests,
          scheduler: true,
          // By default it binds at most fifty pods per second.
          schedulerFlags: unlimitedRequests,
          fsync: false,
          apiServerFlags,
        })
  const stateParent = options.stateParent ?? tmpdir()
  const stateDir = await realpath(await mkdtemp(join(stateParent, 'agents-runs-')))
  const { kubeconfigPath } = server
  const client = createKubeClient(
    await loadKubeconfig({ paths: [kubeconfigPath] }, systemEffects({})),
  )
  await prepare(client)
  if (admissionPolicies) await installAdmissionPolicies(client, namespace)
  const parts: PartProcess[] = []
  const start = async (
    script: string,
    args: readonly string[],
    nodeFlags?: readonly string[],
  ): Promise<PartProcess> => {
    const file = join(import.meta.dirname, 'main', script)
    const part = await startPart(file, args, join(stateDir, 'compiled'), nodeFlags)
    parts.push(part)
    return part
  }
  return {
    client,
    kubeconfigPath,
    stateDir,
    pids: 'program' in server ? { server: server.program.pid } : server.pids,
    startControllers: (settings = unlimited, nodeFlags = []) => {
      const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
      return start('controllers.ts', [kubeconfigPath, ...words], nodeFlags)
    },
    startNode: (nodeFlags = [], programs = '') =>
      start(
        'node.ts',
        [kubeconfigPath, stateDir, name === 'real' ? 'beside' : 'alone', programs],
        nodeFlags,
      ),
    stop: async () => {
      await endWork(client)
      for (const part of parts.toReversed()) await part.stop()
      client.close()
      await server.stop()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A run whose program is this script. */
export function createRun(
  client: KubeClient,
  name: string,
  script = 'true',
  spec: Partial<AgentRun['spec']> = {},
  options: { readonly dryRun?: boolean } = {},
): Promise<AgentRun> {
  const run = {
    metadata: { name, namespace },
    spec: {
      agentRef: { name: 'shell' },
      implementation: { inline: { text: 'Run a script.' } },
      runtime: { type: 'job' },
      parameters: { script },
      ...spec,
    },
  }
  return client.create(runKind, run as never, options)
}

/** Creates the runs, 16 at a time. */
export async function createRuns(
  client: KubeClient,
  names: readonly string[],
  script?: string,
): Promise<void> {
  const left = names.values()
  const create = async (): Promise<void> => {
    for (const name of left) await createRun(client, name, script)
  }
  await Promise.all(Array.from({ length: 16 }, create))
}

async function prepare(client: KubeClient): Promise<void> {
  await installKinds(client, kinds)
  await client.create(NamespaceKind, { metadata: { name: namespace } })
  await client.create(kindRef(agentProvider), {
    metadata: { name: 'shell', namespace },
    spec: { binary: '/bin/sh', argsTemplate: ['-c', '{{ inputs.script }}'] },
  } as never)
  await client.create(kindRef(agent), {
    metadata: { name: 'shell', namespace },
    spec: { providerRef: { name: 'shell' } },
  } as never)
}

/** No process may outlive its test. */
async function endWork(client: KubeClient): Promise<void> {
  const gone = (error: unknown): void => {
    if (!isNotFound(error)) throw error
  }
  for await (const job of client.each(JobKind)) {
    const isOver = job.status?.completionTime !== undefined
    if (isOver) continue
    await client.delete(JobKind, job.metadata, { propagationPolicy: 'Background' }).catch(gone)
  }
  for await (const pod of client.each(PodKind)) {
    const isOver = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')
    if (!isOver) await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 0 }).catch(gone)
  }
}

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { controllersConfig, type RunningControllers, startControllers } from '@agents/jangar'
import {
  type Agent,
  type AgentProvider,
  type AgentRun,
  agent,
  agentProvider,
  agentRun,
  group,
  kinds,
} from '@agents/jangar-api'
import {
  bearer,
  type ClusterEvent,
  CustomResourceDefinitionKind,
  createInformers,
  createKubeClient,
  EventKind,
  isNotFound,
  type Job,
  JobKind,
  type KubeClient,
  kindRef,
  NamespaceKind,
  PodKind,
  staticCredentials,
} from '@agents/kube'
import { createPodLogs, startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { runHistory } from './run-history.ts'

export const runKind = kindRef<AgentRun>(agentRun)
const agentKind = kindRef<Agent>(agent)
const providerKind = kindRef<AgentProvider>(agentProvider)

const agentsKinds = kinds.filter((kind) => kind.group === group.agents)

const namespace = 'agents'

/** For one thing to come to pass; a test may wait for several. */
const patienceMs = 90_000

/** For a whole test. */
export const patience = { timeout: 240_000 }

export const silent = createLogger({ sink: { write: () => undefined } })

export type RunSpec = Partial<AgentRun['spec']>

/** A whole platform: server, node and controllers. Each test has runs of its own names on it. */
export interface Bench {
  readonly client: KubeClient
  readonly server: Pick<ApiServer, 'url' | 'caCertificate' | 'adminToken'>
  readonly controllers: () => RunningControllers
  /** What the controllers have written, as `create jobs good-job`. */
  readonly writes: readonly string[]
  /** As a crash and a new process would: nothing but the cluster remembers. */
  restart(): Promise<void>
  /** One more of them, which nobody elected. */
  second(): Promise<RunningControllers>
  /** A run whose program is this script. */
  create(name: string, script: string, spec?: RunSpec): Promise<AgentRun>
  get(name: string): Promise<AgentRun>
  patch(name: string, spec: RunSpec): Promise<AgentRun>
  remove(name: string): Promise<void>
  /** The run as it was when this first held, from now on; it may have gone on since. */
  until(name: string, holds: (run: AgentRun) => boolean, what?: string): Promise<AgentRun>
  untilFinished(name: string): Promise<AgentRun>
  untilGone(name: string): Promise<void>
  jobsOf(name: string): Promise<Job[]>
  eventsOf(name: string): Promise<ClusterEvent[]>
  /** An Agent whose program is a shell. */
  createAgent(name: string, spec?: Partial<Agent['spec']>): Promise<void>
  removeAgent(name: string): Promise<void>
  /** A shell with these arguments. */
  createProvider(name: string, argsTemplate: string[]): Promise<void>
  stop(): Promise<void>
}

export interface BenchOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Without it nothing ever begins. Default true. */
  readonly node?: boolean
  /** Default true; false where the test has controllers of its own. */
  readonly controllers?: boolean
}

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const { environment, node = true } = options
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-runs-')))
  const server = await startApiServer({ logger: silent, podLogs: createPodLogs(stateDir) })
  const client = createKubeClient({
    server: server.url,
    namespace,
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  await Promise.all(
    agentsKinds.map((kind) =>
      client.create(CustomResourceDefinitionKind, customResourceDefinition(kind)),
    ),
  )
  await client.create(NamespaceKind, { metadata: { name: namespace } })
  const nodeInformers = createInformers(client)
  const localNode = node
    ? await startLocalNode({
        client,
        informers: nodeInformers,
        logger: silent,
        stateDir,
        nodeName: 'local',
        baseEnvironment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        mounts: 'paths',
        jobBackoff: { baseMs: 100, capMs: 1000 },
      })
    : undefined
  const history = await runHistory(client, runKind, namespace)
  const writes: string[] = []
  const ownClient = telling(client, (write) => writes.push(write))
  const config = controllersConfig({
    JANGAR_AGENT_RUNNER_IMAGE: 'local',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '0',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_REPO: '0',
    ...environment,
  })
  const start = async (): Promise<RunningControllers> => {
    const started = startControllers({ client: ownClient, config, log: silent })
    await started.ready
    return started
  }
  const all: RunningControllers[] = []
  let current = options.controllers === false ? noControllers : await start()
  all.push(current)
  const bench: Bench = {
    client,
    server,
    controllers: () => current,
    writes,
    restart: async () => {
      await current.stop()
      current = await start()
      all.push(current)
    },
    second: async () => {
      const started = await start()
      all.push(started)
      return started
    },
    create: (name, script, spec = {}) =>
      client.create(runKind, {
        metadata: { name, namespace },
        spec: {
          agentRef: { name: 'shell' },
          implementation: { inline: { text: 'Run a script.' } },
          runtime: { type: 'job' },
          parameters: { script },
          ...spec,
        },
      } as never),
    get: (name) => client.get(runKind, { namespace, name }),
    patch: (name, spec) =>
      client.patch(runKind, { namespace, name }, { type: 'merge', body: { spec } }),
    remove: async (name) => {
      await client.delete(runKind, { namespace, name })
    },
    until: async (name, holds, what = 'another state') => {
      const now = await bench.get(name)
      if (holds(now)) return now
      const control = new AbortController()
      const { signal } = control
      const late = delay(patienceMs, undefined, { signal }).then(async () => {
        const { status } = await bench.get(name)
        throw new Error(`${name} never got to ${what}: ${JSON.stringify(status, undefined, 1)}`)
      })
      try {
        return await Promise.race([history.after(now, holds), late])
      } finally {
        late.catch(() => undefined)
        control.abort()
      }
    },
    untilFinished: (name) =>
      bench.until(name, (run) => said(run, 'Finished').startsWith('True'), 'its end'),
    untilGone: (name) =>
      eventually(() => bench.get(name).then(() => false, isNotFoundOnly), `${name} is still there`),
    jobsOf: async (name) => {
      const { items } = await client.list(JobKind, { namespace })
      return items.filter(({ metadata }) =>
        metadata.ownerReferences?.some((owner) => owner.name === name),
      )
    },
    eventsOf: async (name) => {
      const { items } = await client.list(EventKind, { namespace })
      return items.filter(({ involvedObject }) => involvedObject.name === name)
    },
    createAgent: async (name, spec = {}) => {
      await client.create(agentKind, {
        metadata: { name, namespace },
        spec: { providerRef: { name: 'shell' }, ...spec },
      } as never)
    },
    createProvider: async (name, argsTemplate) => {
      await client.create(providerKind, {
        metadata: { name, namespace },
        spec: { binary: '/bin/sh', argsTemplate },
      } as never)
    },
    removeAgent: async (name) => {
      await client.delete(agentKind, { namespace, name })
    },
    stop: async () => {
      for (const one of all) await one.stop()
      await endAll(client)
      await localNode?.stop()
      await nodeInformers.stop()
      await history.stop()
      client.close()
      await server.stop()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await bench.createProvider('shell', ['-c', '{{ inputs.script }}'])
  await bench.createAgent('shell')
  return bench
}

const noControllers: RunningControllers = {
  ready: Promise.resolve(),
  ended: Promise.resolve(),
  stop: () => Promise.resolve(),
}

/** `True/Succeeded` */
export function said({ status }: AgentRun, type: string): string {
  const condition = status?.conditions?.find((one) => one.type === type)
  return condition ? `${condition.status}/${condition.reason}` : 'absent'
}

export function messageOf({ status }: AgentRun, type: string): string {
  return status?.conditions?.find((one) => one.type === type)?.message ?? ''
}

function telling(client: KubeClient, tell: (write: string) => void): KubeClient {
  return {
    ...client,
    create: (kind, object, options) => {
      tell(`create ${kind.plural} ${object.metadata.name}`)
      return client.create(kind, object, options)
    },
    patch: (kind, key, patch, options) => {
      const part = options?.subresource === undefined ? '' : `/${options.subresource}`
      tell(`patch ${kind.plural}${part} ${key.name}`)
      return client.patch(kind, key, patch, options)
    },
    delete: (kind, key, options) => {
      tell(`delete ${kind.plural} ${key.name}`)
      return client.delete(kind, key, options)
    },
  }
}

/** No process of a test may outlive it. */
async function endAll(client: KubeClient): Promise<void> {
  for await (const job of client.each(JobKind)) {
    await client
      .delete(JobKind, job.metadata, { propagationPolicy: 'Background' })
      .catch(ignoreNotFound)
  }
  for await (const pod of client.each(PodKind)) {
    await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 0 }).catch(ignoreNotFound)
  }
  await eventually(
    async () => (await client.list(PodKind)).items.length === 0,
    'there are still pods',
  )
}

/** Waits for what must come, as long as it takes on a machine that has much to do. */
export async function eventually(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(otherwise)
    await delay(20)
  }
}

function isNotFoundOnly(error: unknown): boolean {
  if (isNotFound(error)) return true
  throw error
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error
}

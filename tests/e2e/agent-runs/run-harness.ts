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
import { type Logger, silentLogger } from '@agents/log'
import { until } from '../../support/testbed/until.ts'
import { writePrograms } from '../security/run-programs.ts'
import { runHistory } from './run-history.ts'

export const runKind = kindRef<AgentRun>(agentRun)
const agentKind = kindRef<Agent>(agent)
const providerKind = kindRef<AgentProvider>(agentProvider)

const namespace = 'agents'

/** Timeout for a single condition; a test may wait for several. */
const patienceMs = 200_000

/** Timeout for a whole test. */
export const pollOptions = { timeout: 240_000 }

const silent = silentLogger

export type RunSpec = Partial<AgentRun['spec']>

/** A whole platform: server, node and controllers. The tests share it and use different run names. */
export interface RunHarness {
  readonly client: KubeClient
  readonly server: Pick<ApiServer, 'url' | 'caCertificate' | 'adminToken'>
  readonly controllers: () => RunningControllers
  /** What the controllers have written, e.g. `create jobs good-job`. */
  readonly writes: readonly string[]
  /** Restarts the controllers as after a crash: only the cluster keeps state. */
  restart(): Promise<void>
  /** Starts additional controllers without leader election. */
  second(): Promise<RunningControllers>
  /** Creates a run whose program is this script. */
  create(name: string, script: string, spec?: RunSpec): Promise<AgentRun>
  get(name: string): Promise<AgentRun>
  patch(name: string, spec: RunSpec): Promise<AgentRun>
  remove(name: string): Promise<void>
  /** The first state of the run, from now on, in which the predicate holds; the run may have progressed since. */
  until(name: string, holds: (run: AgentRun) => boolean, what?: string): Promise<AgentRun>
  untilFinished(name: string): Promise<AgentRun>
  untilGone(name: string): Promise<unknown>
  jobsOf(name: string): Promise<Job[]>
  eventsOf(name: string): Promise<ClusterEvent[]>
  /** Creates an Agent whose program is a shell. */
  createAgent(name: string, spec?: Partial<Agent['spec']>): Promise<void>
  removeAgent(name: string): Promise<void>
  /** Creates a provider that runs a shell, or what the spec names, with these arguments. */
  createProvider(
    name: string,
    argsTemplate: string[],
    spec?: Partial<AgentProvider['spec']>,
  ): Promise<void>
  /** Starts the node, if it was not started with the harness. */
  startNode(): Promise<void>
  stop(): Promise<void>
}

interface RunHarnessOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** If false, no pod starts unless the test starts the node. Default true. */
  readonly node?: boolean
  /** Default true; false if the test starts its own controllers. */
  readonly controllers?: boolean
  /** The log of the controllers. Default: silent. */
  readonly log?: Logger
}

export async function startHarness(options: RunHarnessOptions = {}): Promise<RunHarness> {
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
    kinds.map((kind) =>
      client.create(CustomResourceDefinitionKind, customResourceDefinition(kind)),
    ),
  )
  await client.create(NamespaceKind, { metadata: { name: namespace } })
  const nodeInformers = createInformers(client)
  const programs = await writePrograms(join(stateDir, 'programs'))
  const startNode = () =>
    startLocalNode({
      client,
      informers: nodeInformers,
      logger: silent,
      stateDir,
      nodeName: 'local',
      baseEnvironment: { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin` },
      mounts: 'paths',
      jobBackoff: { baseMs: 100, capMs: 1000 },
    })
  let localNode = node ? await startNode() : undefined
  const history = await runHistory(client, runKind, namespace)
  const writes: string[] = []
  const ownClient = reportingClient(client, (write) => writes.push(write))
  const config = controllersConfig({
    JANGAR_AGENT_RUNNER_IMAGE: 'local',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '0',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_REPO: '0',
    ...environment,
  })
  const start = async (): Promise<RunningControllers> => {
    const started = startControllers({ client: ownClient, config, log: options.log ?? silent })
    await started.ready
    return started
  }
  const all: RunningControllers[] = []
  let current = options.controllers === false ? noControllers : await start()
  all.push(current)
  const harness: RunHarness = {
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
      const now = await harness.get(name)
      if (holds(now)) return now
      const control = new AbortController()
      const { signal } = control
      const late = delay(patienceMs, undefined, { signal }).then(async () => {
        const { status } = await harness.get(name)
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
      harness.until(name, (run) => conditionText(run, 'Finished').startsWith('True'), 'its end'),
    untilGone: (name) =>
      until(() => harness.get(name).then(() => false, isNotFoundOnly), `${name} is still there`),
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
    createProvider: async (name, argsTemplate, spec = {}) => {
      await client.create(providerKind, {
        metadata: { name, namespace },
        spec: { binary: '/bin/sh', argsTemplate, usesSystemPrompt: true, ...spec },
      } as never)
    },
    startNode: async () => {
      localNode ??= await startNode()
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
  await harness.createProvider('shell', ['-c', '{{ inputs.script }}'])
  await harness.createAgent('shell')
  return harness
}

const noControllers: RunningControllers = {
  ready: Promise.resolve(),
  ended: Promise.resolve(),
  stop: () => Promise.resolve(),
}

/** `True/Succeeded` */
export function conditionText({ status }: AgentRun, type: string): string {
  const condition = status?.conditions?.find((one) => one.type === type)
  return condition ? `${condition.status}/${condition.reason}` : 'absent'
}

export function messageOf({ status }: AgentRun, type: string): string {
  return status?.conditions?.find((one) => one.type === type)?.message ?? ''
}

function reportingClient(client: KubeClient, onWrite: (write: string) => void): KubeClient {
  return {
    ...client,
    create: (kind, object, options) => {
      onWrite(`create ${kind.plural} ${object.metadata.name}`)
      return client.create(kind, object, options)
    },
    patch: (kind, key, patch, options) => {
      const part = options?.subresource === undefined ? '' : `/${options.subresource}`
      onWrite(`patch ${kind.plural}${part} ${key.name}`)
      return client.patch(kind, key, patch, options)
    },
    update: (kind, object, options) => {
      const part = options?.subresource === undefined ? '' : `/${options.subresource}`
      onWrite(`update ${kind.plural}${part} ${object.metadata.name}`)
      return client.update(kind, object, options)
    },
    delete: (kind, key, options) => {
      onWrite(`delete ${kind.plural} ${key.name}`)
      return client.delete(kind, key, options)
    },
  }
}

/** No process may outlive its test. */
async function endAll(client: KubeClient): Promise<void> {
  for await (const job of client.each(JobKind)) {
    await client
      .delete(JobKind, job.metadata, { propagationPolicy: 'Background' })
      .catch(ignoreNotFound)
  }
  for await (const pod of client.each(PodKind)) {
    await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 0 }).catch(ignoreNotFound)
  }
  await until(async () => (await client.list(PodKind)).items.length === 0, 'there are still pods')
}

function isNotFoundOnly(error: unknown): boolean {
  if (isNotFound(error)) return true
  throw error
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error
}

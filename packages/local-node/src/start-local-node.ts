import { createHash } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { type Clock, type EventRecorder, systemClock } from '@agents/controller'
import { type Informers, type KubeClient, PodKind } from '@agents/kube'
import type { Logger } from '@agents/log'
import { ContainerEngine, type EngineName } from './container/engine.ts'
import { EngineImages } from './container/engine-images.ts'
import { engineLabels } from './container/engine-owner.ts'
import { bootId } from './container/process-identity.ts'
import { Spawner } from './container/spawner.ts'
import { memoryFolder, stateFolder } from './folder/pod-folder.ts'
import type { JobBackoff } from './job/job-backoff.ts'
import { createJobController, TrackedJobKind } from './job/job-controller.ts'
import { defaultLogLimits, type LogLimits } from './logs/log-writer.ts'
import { canMount } from './mount/mount-namespace.ts'
import { bindClaim } from './node/bind-claim.ts'
import { NodePods } from './node/pods-controller.ts'
import { defaultNodeName, nodeCapacity, registerNode, renewLease } from './node/register-node.ts'
import { defaultRestartBackoff, type RestartBackoff } from './pod/pod-decision.ts'
import type { PodSurroundings } from './pod/pod-run.ts'

export interface LocalNodeOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly logger: Logger
  /** Holds pods, logs and the data of claims. A node that is started on it later goes on with what runs. */
  readonly stateDir: string
  /** What every process gets: `PATH`, `HOME` and what else of the machine it needs. Containers' own variables go before. */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Default: the name of the machine. */
  readonly nodeName?: string
  readonly clock?: Clock
  readonly events?: EventRecorder
  /** Whether to do the work of the Job controller. Default true; false where kube-controller-manager runs. */
  readonly runJobs?: boolean
  /** Whether to take pods that have no node. Default true; false where a scheduler runs. */
  readonly bindPods?: boolean
  /** Whether to call claims bound that a pod uses. Default true; false where somebody provides storage. */
  readonly bindClaims?: boolean
  /** How many pods run at a time. Default 110. */
  readonly maxPods?: number
  /** Runs images with this program. Without it the commands of containers run as processes. */
  readonly containerRuntime?: EngineName
  /** What that program is given: where it finds its settings and its daemon. Default: `baseEnvironment`. */
  readonly engineEnvironment?: Readonly<Record<string, string>>
  /** How containers find their volumes. `auto`: by mounts where this process may make them, by changed paths otherwise. */
  readonly mounts?: 'auto' | 'paths' | 'namespace'
  /** A folder in memory, for Secrets. Default `/dev/shm` where that is one. */
  readonly memoryDir?: string
  readonly logLimits?: Partial<LogLimits>
  readonly jobBackoff?: JobBackoff
  readonly restartBackoff?: RestartBackoff
  /** Told to pods and in the Node object. */
  readonly version?: string
}

export interface LocalNode {
  readonly nodeName: string
  /** How containers find their volumes. */
  readonly mounts: 'paths' | 'namespace' | 'engine'
  /** Ends the node. What runs, runs on; a node that is started on the same folder later goes on with it. */
  stop(): Promise<void>
}

/** Runs pods on this machine, and Jobs by pods. Resolves when the node is registered and at work. */
export async function startLocalNode(options: LocalNodeOptions): Promise<LocalNode> {
  const { client, informers, logger, clock = systemClock, maxPods = 110 } = options
  const nodeName = options.nodeName ?? defaultNodeName()
  const around = await surroundings(options, { nodeName, clock, maxPods })
  const { bindPods = true, runJobs = true } = options
  // Where others make pods and place them, those of other nodes are nobody's business here.
  const ofNode = { fieldSelector: `spec.nodeName=${nodeName}` }
  const pods = informers.acquire(PodKind, bindPods || runJobs ? {} : ofNode)
  const jobs = runJobs ? informers.acquire(TrackedJobKind) : undefined
  const node = new NodePods({ around, pods, bindPods, maxPods, workers: 16 })
  const registration = {
    client,
    nodeName,
    maxPods,
    hostIP: around.node.hostIP,
    version: options.version ?? 'v1.36.0',
    clock,
    log: logger,
  }
  await registerNode(registration)
  await pods.informer.waitForSync()
  await node.settle()

  const stop = new AbortController()
  const { signal } = stop
  const running = [
    node.controller.run(signal),
    node.sweep(sweepMs, signal),
    renewLease(registration, signal),
  ]
  if (jobs !== undefined) {
    running.push(
      createJobController({ ...jobOptions(options, clock), jobs, pods, places: node }).run(signal),
    )
  }
  const ended = Promise.allSettled(running)
  for (const one of running) {
    one.catch((error: unknown) => logger.error('the local node has a part that failed', { error }))
  }
  return {
    nodeName,
    mounts: around.engine === undefined ? (around.realMounts ? 'namespace' : 'paths') : 'engine',
    stop: async () => {
      stop.abort()
      await ended
      await node.leave()
      around.attempts.spawner.close()
      await Promise.all([pods.release(), jobs?.release()])
      await around.state.close()
    },
  }
}

const sweepMs = 60_000
const loopback = '127.0.0.1'

function jobOptions({ client, logger, events, jobBackoff }: LocalNodeOptions, clock: Clock) {
  return {
    client,
    log: logger,
    clock,
    ...(events && { events }),
    ...(jobBackoff && { backoff: jobBackoff }),
  }
}

async function surroundings(
  options: LocalNodeOptions,
  { nodeName, clock, maxPods }: { nodeName: string; clock: Clock; maxPods: number },
): Promise<PodSurroundings> {
  const { client, logger, containerRuntime, mounts = 'auto', memoryDir = '/dev/shm' } = options
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 })
  // Processes are told paths in it, and links on the way would make two names of one place.
  const stateDir = await realpath(options.stateDir)
  const nodeMarker = createHash('sha256').update(stateDir).digest('hex').slice(0, 12)
  const boot = await bootId()
  const engine = await engineOf(options, () => engineLabels(stateDir, boot))
  const memory = await memoryFolder(memoryDir, `agents-${nodeMarker}`)
  const state = stateFolder(stateDir, memory, engine && removeForced(engine, logger))
  const backoff = options.restartBackoff ?? defaultRestartBackoff
  const { events } = options
  const wantsMounts = containerRuntime === undefined && mounts !== 'paths'
  const realMounts = wantsMounts && (mounts === 'namespace' || (await canMount(stateDir)))
  return {
    client,
    log: logger,
    events,
    state,
    node: { nodeName, hostIP: loopback, capacity: nodeCapacity(maxPods) },
    baseEnvironment: options.baseEnvironment,
    realMounts,
    engine: engine && { engine, images: new EngineImages({ engine, clock, backoff, events }) },
    claimed: (claim) =>
      options.bindClaims === false ? Promise.resolve() : bindClaim(client, claim),
    attempts: {
      clock,
      logLimits: { ...defaultLogLimits, ...options.logLimits },
      bootId: boot,
      spawner: new Spawner(),
      ...(engine && { engine }),
    },
    backoff,
    nodeMarker,
  }
}

function removeForced(engine: ContainerEngine, log: Logger): (path: string) => Promise<void> {
  return async (path) => {
    try {
      await engine.emptyFolder(path)
      await rm(path, { recursive: true, force: true })
    } catch (error) {
      log.warn('files of a pod are left behind', { path, error })
    }
  }
}

async function engineOf(
  { containerRuntime: name, engineEnvironment, baseEnvironment }: LocalNodeOptions,
  labels: () => Promise<string[]>,
): Promise<ContainerEngine | undefined> {
  if (name === undefined) return undefined
  const environment = engineEnvironment ?? baseEnvironment
  const engine = new ContainerEngine({ name, environment, labels: await labels() })
  await engine.version().catch((cause: Error) => {
    throw new Error(`${name} cannot run containers here: ${cause.message}`, { cause })
  })
  return engine
}

import { createHash } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { type Clock, type EventRecorder, systemClock } from '@agents/controller'
import { formatKey, type Informers, type KubeClient, PodKind, type PodStreams } from '@agents/kube'
import type { Logger } from '@agents/log'
import { canChangeUser, isOpenToAll } from './container/change-user.ts'
import { ContainerEngine, type EngineName } from './container/engine/engine.ts'
import { EngineImages } from './container/engine/engine-images.ts'
import { engineLabels } from './container/engine/engine-owner.ts'
import type { OwnUsers } from './container/launch-plan.ts'
import { bootId } from './container/process-identity.ts'
import { Spawner } from './container/spawner.ts'
import { memoryFolder, stateFolder } from './folder/pod-folder.ts'
import type { JobBackoff } from './job/job-backoff.ts'
import { createJobController, TrackedJobKind } from './job/job-controller.ts'
import { type KubeletOptions, startKubeletServer } from './kubelet/kubelet-server.ts'
import { defaultLogLimits, type LogLimits } from './logs/log-writer.ts'
import { createPodLogs } from './logs/pod-logs.ts'
import { canMount } from './mount/mount-namespace.ts'
import { NodePods } from './node/node-pods.ts'
import { defaultNodeName, nodeCapacity, registerNode, renewLease } from './node/register-node.ts'
import { defaultRestartBackoff, type RestartBackoff } from './pod/pod-decision.ts'
import type { PodDependencies } from './pod/pod-run.ts'
import { createNodeStreams } from './streams/node-streams.ts'
import { provideVolume } from './volume/provide-volume.ts'
import { createVolumeControllers } from './volume/volume-controllers.ts'

export interface LocalNodeOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly logger: Logger
  /** Pods, logs and the data of claims. A node that is started on it later adopts the running pods. */
  readonly stateDir: string
  /** Variables of every process, such as `PATH` and `HOME`. Containers' own variables override them. */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Default: the host name. */
  readonly nodeName?: string
  readonly clock?: Clock
  readonly events?: EventRecorder
  /** Whether to run the Job controller. Default true; false if kube-controller-manager runs. */
  readonly runJobs?: boolean
  /** Whether to bind pods without a node. Default true; false if a scheduler runs. */
  readonly bindPods?: boolean
  /** Whether to provide volumes for claims. Default true; false if a provisioner runs. */
  readonly provideVolumes?: boolean
  /** Most pods at a time. Default 110. */
  readonly maxPods?: number
  /** Program that runs images. If omitted, the commands of containers run as processes. */
  readonly containerRuntime?: EngineName
  /** Environment of that program, with its settings and the address of its daemon. Default: `baseEnvironment`. */
  readonly engineEnvironment?: Readonly<Record<string, string>>
  /**
   * How containers find their volumes. `auto`: by mounts if this process may create them, otherwise by rewritten
   * paths.
   */
  readonly mounts?: 'auto' | 'paths' | 'namespace'
  /** The platform's own programs, and the paths that they need. Default: none. */
  readonly programs?: { readonly folder: string; readonly needs: readonly string[] }
  /** Folder in memory for Secrets. Default `/dev/shm` if it is in memory. */
  readonly memoryDir?: string
  readonly logLimits?: Partial<LogLimits>
  readonly jobBackoff?: JobBackoff
  readonly restartBackoff?: RestartBackoff
  /**
   * Serves logs, exec, attach and port-forward of this node's pods to a kube-apiserver in another process. If omitted,
   * the node has no port; an API server in this process uses `streams` and `createPodLogs`.
   */
  readonly kubelet?: KubeletOptions
  /** Version in the Node object. */
  readonly version?: string
}

export interface LocalNode {
  readonly nodeName: string
  /** How containers find their volumes. */
  readonly mounts: 'paths' | 'namespace' | 'engine'
  /** Whether containers run as the users that their pods request. */
  readonly ownUsers: boolean
  /** exec, attach and port-forward for the pods of this node. */
  readonly streams: PodStreams
  /** Stops the node. Pods keep running; a node that is started on the same folder later adopts them. */
  stop(): Promise<void>
}

/** Runs pods on this machine, and Jobs by pods. Resolves when the node is registered and running. */
export async function startLocalNode(options: LocalNodeOptions): Promise<LocalNode> {
  const { client, informers, logger, clock = systemClock, maxPods = 110 } = options
  const nodeName = options.nodeName ?? defaultNodeName()
  const dependencies = await podDependencies(options, { nodeName, clock, maxPods })
  const { bindPods = true, runJobs = true } = options
  // If a scheduler and a Job controller run elsewhere, only the pods of this node are watched.
  const ofNode = { fieldSelector: `spec.nodeName=${nodeName}` }
  const pods = informers.acquire(PodKind, bindPods || runJobs ? {} : ofNode)
  const jobs = runJobs ? informers.acquire(TrackedJobKind) : undefined
  const node = new NodePods({ dependencies, pods, bindPods, maxPods, workers: 16 })
  const streams = createNodeStreams({
    running: (uid) => node.running(uid),
    engine: dependencies.engine?.engine,
    nodeMarker: dependencies.nodeMarker,
  })
  const kubelet =
    options.kubelet &&
    (await startKubeletServer(options.kubelet, {
      streams,
      logs: createPodLogs(options.stateDir),
      findPod: (namespace, name) => {
        const pod = pods.informer.store.get(formatKey({ namespace, name }))
        return pod?.spec.nodeName === nodeName ? pod : undefined
      },
      log: logger,
    }))
  const registration = {
    client,
    ...(kubelet && { kubeletPort: kubelet.port }),
    nodeName,
    maxPods,
    hostIP: dependencies.node.hostIP,
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
      createJobController({ ...jobOptions(options, clock), jobs, pods, slots: node }).run(signal),
    )
  }
  const volumes =
    options.provideVolumes === false
      ? undefined
      : createVolumeControllers(options, dependencies.state)
  running.push(...(volumes?.controllers.map((one) => one.run(signal)) ?? []))
  const ended = Promise.allSettled(running)
  for (const one of running) {
    one.catch((error: unknown) => logger.error('component of the local node failed', { error }))
  }
  return {
    nodeName,
    ownUsers: dependencies.ownUsers !== undefined,
    streams,
    mounts:
      dependencies.engine === undefined
        ? dependencies.realMounts
          ? 'namespace'
          : 'paths'
        : 'engine',
    stop: async () => {
      await kubelet?.stop()
      stop.abort()
      await ended
      await node.leave()
      dependencies.attempts.spawner.close()
      await Promise.all([pods.release(), jobs?.release(), volumes?.release()])
      await dependencies.state.close()
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

async function podDependencies(
  options: LocalNodeOptions,
  { nodeName, clock, maxPods }: { nodeName: string; clock: Clock; maxPods: number },
): Promise<PodDependencies> {
  const { client, logger, containerRuntime, mounts = 'auto', memoryDir = '/dev/shm' } = options
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 })
  // Processes get paths in it, and links would give one folder two names.
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
    ownUsers: engine === undefined ? await ownUsers(options, realMounts) : undefined,
    engine: engine && { engine, images: new EngineImages({ engine, clock, backoff, events }) },
    claimed: async (claim) => {
      if (options.provideVolumes !== false) await provideVolume(client, claim, state.claim)
    },
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

/** Containers run as users of their own if this process is root and those users can reach the programs. */
async function ownUsers(
  { programs, logger }: LocalNodeOptions,
  realMounts: boolean,
): Promise<OwnUsers | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const closed = programs?.needs.find((path) => !isOpenToAll(path))
  let reason: string | undefined
  if (!realMounts) reason = 'mounts are not permitted'
  else if (closed !== undefined) reason = `other users cannot reach ${closed}`
  else if (!(await canChangeUser()))
    reason = 'setpriv of util-linux and chroot of GNU coreutils are required'
  if (reason === undefined) return { programs: programs?.folder }
  logger.warn('pods run as root, the user of the platform', { reason })
  return undefined
}

function removeForced(engine: ContainerEngine, log: Logger): (path: string) => Promise<void> {
  return async (path) => {
    try {
      await engine.emptyFolder(path)
      await rm(path, { recursive: true, force: true })
    } catch (error) {
      log.warn('files of a pod could not be removed', { path, error })
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
    throw new Error(`container runtime ${name} is not available: ${cause.message}`, { cause })
  })
  return engine
}

import { arch, cpus, hostname, platform, release, totalmem } from 'node:os'
import { type Clock, sleep } from '@agents/controller'
import {
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  LeaseKind,
  type Node,
  NodeKind,
} from '@agents/kube'
import type { Logger } from '@agents/log'

interface NodeRegistration {
  readonly client: KubeClient
  readonly nodeName: string
  readonly maxPods: number
  readonly hostIP: string
  readonly version: string
  /** Port of the kubelet's API, if the node serves it. */
  readonly kubeletPort?: number
  readonly clock: Clock
  readonly log: Logger
}

const leaseNamespace = 'kube-node-lease'
const leaseSeconds = 40
const renewMs = 10_000

export function nodeCapacity(maxPods: number): Record<string, string> {
  return {
    cpu: String(cpus().length),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    pods: String(maxPods),
  }
}

/** Registers the node as ready. */
export async function registerNode(registration: NodeRegistration): Promise<Node> {
  const { client, nodeName } = registration
  const labels = {
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': platform(),
    'kubernetes.io/arch': architecture(),
    'node.kubernetes.io/instance-type': 'local',
  }
  try {
    await client.create(NodeKind, { metadata: { name: nodeName, labels }, spec: {} })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const body = { metadata: { labels } }
    await client.patch(NodeKind, { name: nodeName }, { type: 'merge', body })
  }
  return client.patch(
    NodeKind,
    { name: nodeName },
    { type: 'strategic', body: { status: nodeStatus(registration) } },
    { subresource: 'status' },
  )
}

function nodeStatus(registration: NodeRegistration) {
  const { maxPods, hostIP, version, clock, nodeName, kubeletPort } = registration
  const capacity = nodeCapacity(maxPods)
  const time = `${clock.now().toISOString().slice(0, 19)}Z`
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  })
  return {
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: nodeName },
    ],
    ...(kubeletPort && { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
    capacity,
    allocatable: capacity,
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'not watched'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'not watched'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'not watched'),
      condition('Ready', 'True', 'KubeletReady', 'the local node runs commands as processes'),
    ],
    nodeInfo: {
      architecture: architecture(),
      operatingSystem: platform(),
      osImage: platform(),
      kernelVersion: release(),
      kubeletVersion: version,
      kubeProxyVersion: '',
      containerRuntimeVersion: 'local://1',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  }
}

/** Renews the lease of the node until the signal. A cluster without the namespace for leases is accepted. */
export async function renewLease(
  { client, nodeName, clock, log }: NodeRegistration,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const renewTime = clock.now().toISOString().replace('Z', '000Z')
    const metadata = { name: nodeName, namespace: leaseNamespace }
    const spec = { holderIdentity: nodeName, leaseDurationSeconds: leaseSeconds, renewTime }
    try {
      await client.apply(LeaseKind, { metadata, spec }, { fieldManager: 'local-node', signal })
    } catch (error) {
      if (isNotFound(error)) return
      if (!signal.aborted) log.warn('node lease could not be renewed', { nodeName, error })
    }
    await sleep(clock, renewMs, signal)
  }
}

/** The name of the architecture in Go. */
function architecture(): string {
  const own = arch()
  return own === 'x64' ? 'amd64' : own
}

/** A valid node name, from the host name. */
export function defaultNodeName(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
  return name === '' ? 'local' : name.slice(0, 63)
}

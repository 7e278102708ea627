import type { KubeObject } from '@agents/kube'

export interface Pod extends KubeObject {
  spec?: {
    nodeName?: string
    containers?: readonly Container[]
    initContainers?: readonly Container[]
    readinessGates?: readonly { conditionType: string }[]
  }
  status?: {
    phase?: string
    reason?: string
    nominatedNodeName?: string
    podIPs?: readonly { ip?: string }[]
    conditions?: readonly { type: string; status: string; reason?: string }[]
    initContainerStatuses?: readonly ContainerStatus[]
    containerStatuses?: readonly ContainerStatus[]
  }
}

interface Container {
  readonly name: string
  readonly restartPolicy?: string
}

interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string }
  readonly running?: object
  readonly terminated?: Termination
}

interface Termination {
  readonly reason?: string
  readonly signal?: number
  readonly exitCode?: number
  readonly finishedAt?: string | null
}

/** The summary of a pod in a table. */
interface PodState {
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  /** Timestamp of the last restart; empty if there was none. */
  readonly lastRestart: string
}

export function podState(pod: Pod): PodState {
  const { metadata, spec, status } = pod
  const init = initState(pod)
  // Once a pod is initialized, restarts of init containers no longer count.
  const initialized = !init.initializing || condition(pod, 'Initialized')?.status === 'True'
  const main = initialized ? mainState(pod, init.reason ?? ownReason(pod)) : undefined
  const restarted = main === undefined ? init.all : sumRestarts(init.sidecars, main.restarts)
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar)

  let reason = main?.reason ?? init.reason ?? ownReason(pod)
  if (metadata.deletionTimestamp !== undefined) {
    if (status?.reason === 'NodeLost') reason = 'Unknown'
    else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') reason = 'Terminating'
  }
  return {
    reason,
    ready: init.ready + (main?.ready ?? 0),
    total: (spec?.containers ?? []).length + sidecars.length,
    restarts: restarted.count,
    lastRestart: restarted.last,
  }
}

interface Restarts {
  readonly count: number
  readonly last: string
}

const noRestarts: Restarts = { count: 0, last: '' }

interface InitState {
  readonly initializing: boolean
  readonly reason: string | undefined
  /** Number of ready sidecars. */
  readonly ready: number
  readonly all: Restarts
  readonly sidecars: Restarts
}

/** Evaluates init containers in order, up to the first that has not completed. */
function initState({ spec, status }: Pod): InitState {
  const declared = new Map((spec?.initContainers ?? []).map((each) => [each.name, each]))
  let ready = 0
  let all = noRestarts
  let sidecars = noRestarts
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const sidecar = isSidecar(declared.get(container.name))
    all = sumRestarts(all, restartsOf(container))
    if (sidecar) sidecars = sumRestarts(sidecars, restartsOf(container))
    if (container.state?.terminated !== undefined && !hasFailed(container.state.terminated))
      continue
    if (sidecar && container.started === true) {
      if (container.ready === true) ready++
      continue
    }
    const reason = initReason(container, index, declared.size)
    return { initializing: true, reason, ready, all, sidecars }
  }
  return { initializing: false, reason: undefined, ready, all, sidecars }
}

function initReason({ state }: ContainerStatus, index: number, total: number): string {
  if (state?.terminated !== undefined) return `Init:${terminationReason(state.terminated)}`
  const waiting = state?.waiting?.reason ?? ''
  return waiting !== '' && waiting !== 'PodInitializing'
    ? `Init:${waiting}`
    : `Init:${index}/${total}`
}

/** Walks from the end, so that the first container with a reason determines the status. */
function mainState(
  pod: Pod,
  initial: string,
): { reason: string; ready: number; restarts: Restarts } {
  let reason = initial
  let failure = ''
  let ready = 0
  let restarts = noRestarts
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    restarts = sumRestarts(restarts, restartsOf(container))
    const { waiting, terminated, running } = container.state ?? {}
    if (waiting?.reason) {
      reason = waiting.reason
    } else if (terminated !== undefined) {
      reason = terminationReason(terminated)
      if (hasFailed(terminated)) failure = reason
    } else if (container.ready === true && running !== undefined) {
      ready++
    }
  }
  if (reason === 'Completed') {
    if (ready > 0 && condition(pod, 'Ready', 'True') !== undefined) reason = 'Running'
    else if (failure !== '') reason = failure
    else if (ready > 0) reason = 'NotReady'
  }
  return { reason, ready, restarts }
}

function ownReason({ status }: Pod): string {
  const gated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  return gated === true ? 'SchedulingGated' : status?.reason || (status?.phase ?? '')
}

function terminationReason({ reason, signal, exitCode }: Termination): string {
  if (reason) return reason
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`
}

function hasFailed({ exitCode }: Termination): boolean {
  return exitCode !== undefined && exitCode !== 0
}

function restartsOf({ restartCount, lastState }: ContainerStatus): Restarts {
  return { count: restartCount ?? 0, last: lastState?.terminated?.finishedAt ?? '' }
}

function sumRestarts(a: Restarts, b: Restarts): Restarts {
  // RFC 3339 in UTC without fractions can be compared as text.
  return { count: a.count + b.count, last: a.last > b.last ? a.last : b.last }
}

function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === 'Always'
}

function condition(pod: Pod, wanted: string, wantedStatus?: string) {
  return pod.status?.conditions?.find(
    ({ type, status }) =>
      type === wanted && (wantedStatus === undefined || status === wantedStatus),
  )
}

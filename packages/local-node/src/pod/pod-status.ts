import type { BuiltinCondition, ContainerState, ContainerStatus, Pod } from '@agents/kube'
import type { AttemptEnd } from '../container/attempt-record.ts'
import {
  type ContainerView,
  containersOf,
  mayRestart,
  neverStarted,
  type PodContainer,
  type WaitingProblem,
} from './container-view.ts'

interface PodStatus {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  reason?: string
  message?: string
  startTime: string
  hostIP: string
  hostIPs: { ip: string }[]
  podIP?: string
  podIPs?: { ip: string }[]
  conditions: BuiltinCondition[]
  initContainerStatuses?: ContainerStatus[]
  containerStatuses: ContainerStatus[]
}

interface PodStatusInput {
  readonly pod: Pod
  readonly views: ReadonlyMap<string, ContainerView>
  readonly waiting: ReadonlyMap<string, WaitingProblem>
  /** Nothing runs and nothing will start. */
  readonly isDone: boolean
  /** Why the node ended the pod, if it did. */
  readonly ended?: { readonly reason: string; readonly message: string } | undefined
  readonly startTime: string
  readonly hostIP: string
  readonly now: Date
}

/** The status that a kubelet would report. */
export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, views, hostIP, ended } = input
  const all = containersOf(pod.spec)
  const statusOf = (one: PodContainer) =>
    containerStatus(one, views.get(one.container.name) ?? neverStarted, input)
  const inits = all.filter(({ role }) => role !== 'main').map(statusOf)
  const mains = all.filter(({ role }) => role === 'main').map(statusOf)
  const phase = phaseOf(input, all)
  const hasBegun = [...inits, ...mains].some(({ state }) => state?.waiting === undefined)
  return {
    phase,
    ...(ended !== undefined && input.isDone && { reason: ended.reason, message: ended.message }),
    startTime: input.startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(hasBegun && { podIP: hostIP, podIPs: [{ ip: hostIP }] }),
    conditions: conditionsOf(input, phase, { inits, mains, hasBegun }),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
    containerStatuses: mains,
  }
}

function phaseOf({ views, isDone, pod, ended }: PodStatusInput, all: readonly PodContainer[]) {
  const mains = all.filter(({ role }) => role === 'main')
  const viewOf = ({ container }: PodContainer) => views.get(container.name) ?? neverStarted
  if (isDone) {
    const isGood = mains.every((one) => viewOf(one).end?.exitCode === 0)
    return isGood && ended === undefined ? 'Succeeded' : 'Failed'
  }
  const isInitialized = all.every((one) => one.role === 'main' || hasPassed(one, viewOf(one)))
  const hasStarted = mains.every((one) => viewOf(one).starts > 0)
  const isRestarting = mains.some((one) => {
    const { end } = viewOf(one)
    return end !== undefined && mayRestart(one, pod.spec, end)
  })
  const isRunning = mains.some((one) => viewOf(one).runningSince !== undefined)
  return isInitialized && hasStarted && (isRunning || isRestarting) ? 'Running' : 'Pending'
}

function hasPassed({ role }: PodContainer, view: ContainerView): boolean {
  return role === 'sidecar' ? view.starts > 0 : view.end?.exitCode === 0
}

function containerStatus(
  one: PodContainer,
  view: ContainerView,
  input: PodStatusInput,
): ContainerStatus {
  const { container, role } = one
  const isRunning = view.runningSince !== undefined
  const waits = input.waiting.get(container.name) ?? view.problem
  const state = stateOf(view, waits, input)
  const last =
    state.terminated === undefined && view.end !== undefined ? view.end : view.previousEnd
  const isReady = role === 'init' ? view.end?.exitCode === 0 : isRunning
  return {
    name: container.name,
    state,
    lastState: last === undefined ? {} : { terminated: terminated(last) },
    ready: isReady,
    started: isRunning,
    restartCount: Math.max(0, view.starts - 1),
    image: container.image ?? '',
    imageID: '',
    ...(view.starts > 0 && {
      containerID: `local://${input.pod.metadata.uid}/${container.name}/${view.starts - 1}`,
    }),
  }
}

function stateOf(
  view: ContainerView,
  waits: WaitingProblem | undefined,
  { isDone, pod }: PodStatusInput,
): ContainerState {
  if (view.runningSince !== undefined) return { running: { startedAt: seconds(view.runningSince) } }
  if (waits !== undefined && !isDone) return { waiting: waits }
  if (view.end !== undefined) return { terminated: terminated(view.end) }
  const isInitializing = (pod.spec.initContainers ?? []).length > 0
  return { waiting: { reason: isInitializing ? 'PodInitializing' : 'ContainerCreating' } }
}

function terminated(end: AttemptEnd): NonNullable<ContainerState['terminated']> {
  return { ...end, startedAt: seconds(end.startedAt), finishedAt: seconds(end.finishedAt) }
}

interface Statuses {
  readonly inits: readonly ContainerStatus[]
  readonly mains: readonly ContainerStatus[]
  readonly hasBegun: boolean
}

function conditionsOf(
  { pod, views, now, isDone }: PodStatusInput,
  phase: PodStatus['phase'],
  { inits, mains, hasBegun }: Statuses,
): BuiltinCondition[] {
  const known = pod.status?.conditions ?? []
  const condition = (type: string, isTrue: boolean, why: Partial<BuiltinCondition> = {}) => {
    const status = isTrue ? ('True' as const) : ('False' as const)
    const before = known.find((one) => one.type === type)
    const lastTransitionTime =
      before?.status === status ? before.lastTransitionTime : seconds(now.toISOString())
    return { type, status, lastProbeTime: null, lastTransitionTime, ...why } as BuiltinCondition
  }
  const unfinished = containersOf(pod.spec)
    .filter((one) => one.role !== 'main')
    .filter((one) => !hasPassed(one, views.get(one.container.name) ?? neverStarted))
    .map(({ container }) => container.name)
  const incomplete = {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${unfinished.join(' ')}]`,
  }
  const isInitialized = unfinished.length === 0
  const completed = phase === 'Succeeded' ? { reason: 'PodCompleted' } : {}
  const unready = [...inits, ...mains].filter(({ ready }) => !ready).map(({ name }) => name)
  const isReady = phase === 'Running' && unready.length === 0
  const why = isReady ? {} : unreadiness(phase, unready)
  const others = known.filter(({ type }) => !ownConditions.has(type))
  return [
    ...others,
    condition('PodReadyToStartContainers', hasBegun && !isDone),
    condition('Initialized', isInitialized, isInitialized ? completed : incomplete),
    condition('Ready', isReady, why),
    condition('ContainersReady', isReady, why),
    condition('PodScheduled', true),
  ]
}

/** Conditions that the node writes; it keeps all others. */
const ownConditions = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
])

function unreadiness(phase: PodStatus['phase'], unready: readonly string[]) {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' }
  if (phase === 'Failed') return { reason: 'PodFailed' }
  const message = `containers with unready status: [${unready.join(' ')}]`
  return { reason: 'ContainersNotReady', message }
}

function seconds(time: string): string {
  return `${time.slice(0, 19)}Z`
}

import type { ContainerState, Pod } from '@agents/kube'
import { redact } from '@agents/log'
import { containerNames } from './container-names.ts'

/** What keeps an attempt from starting. */
export interface StartProblem {
  readonly reason: 'Submitting' | 'SubmitFailed' | 'Scheduling' | 'ImageUnavailable' | 'PodNotReady'
  readonly message: string
}

type Terminated = ContainerState['terminated']

/** Whether the main container started, even if it has ended since. Sidecars do not count: they may run without it. */
export function hasStarted(pod: Pod | undefined): boolean {
  const { running, terminated } = mainState(pod) ?? {}
  return running !== undefined || terminated !== undefined
}

/** The end of the main container, or of the init container whose failure kept it from starting. */
export function endOfWork(pod: Pod | undefined): Terminated {
  return mainState(pod)?.terminated ?? failedInit(pod)
}

/** The end of the container that pushes the work, if the pod has one. */
export function endOfPublish(pod: Pod | undefined): Terminated {
  return stateOf(pod, containerNames.publish)?.terminated
}

/** The end of the container that fetched the repository, if the pod has one. */
export function endOfCheckout(pod: Pod | undefined): Terminated {
  return endOfInit(pod, containerNames.checkout)
}

/** The end of the container that fetched skills, if the pod has one. */
export function endOfSkills(pod: Pod | undefined): Terminated {
  return endOfInit(pod, containerNames.skills)
}

function endOfInit(pod: Pod | undefined, container: string): Terminated {
  const inits = pod?.status?.initContainerStatuses ?? []
  return inits.find(({ name }) => name === container)?.state?.terminated
}

/** When the main container ended, if the publisher is still running; undefined otherwise. */
export function publisherOverdueSince(pod: Pod | undefined): Date | undefined {
  const publish = stateOf(pod, containerNames.publish)
  const end = mainState(pod)?.terminated
  if (publish === undefined || publish.terminated !== undefined || end === undefined)
    return undefined
  const at = Date.parse(end.finishedAt ?? '')
  return new Date(Number.isNaN(at) ? 0 : at)
}

/** What keeps the publisher from starting. */
export function publisherProblem(pod: Pod | undefined): string | undefined {
  const { waiting } = stateOf(pod, containerNames.publish) ?? {}
  return waiting?.reason && redact(described(waiting.reason, waiting.message))
}

/** Only pods of runs that work in a repository have other containers beside the main one. */
function mainState(pod: Pod | undefined): ContainerState | undefined {
  return stateOf(pod, containerNames.agent) ?? pod?.status?.containerStatuses?.[0]?.state
}

function stateOf(pod: Pod | undefined, name: string): ContainerState | undefined {
  return pod?.status?.containerStatuses?.find((one) => one.name === name)?.state
}

function failedInit(pod: Pod | undefined): Terminated {
  return (pod?.status?.initContainerStatuses ?? [])
    .map(({ state }) => state?.terminated)
    .find((end) => end !== undefined && end.exitCode !== 0)
}

/** The name of the main container. */
export function mainContainer(pod: Pod | undefined): string | undefined {
  const names = (pod?.status?.containerStatuses ?? []).map(({ name }) => name)
  return names.includes(containerNames.agent) ? containerNames.agent : names[0]
}

export function hasEnded(pod: Pod | undefined): boolean {
  const phase = pod?.status?.phase
  return phase === 'Succeeded' || phase === 'Failed'
}

/**
 * Whether the cluster ended the pod: its node was lost, drained, short of resources or shut down, another pod took its
 * place, or somebody deleted it. Nothing is left of a pod that was deleted, which is how most of these end.
 */
export function wasEvicted(pod: Pod | undefined): boolean {
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return true
  const { reason, conditions = [] } = pod.status ?? {}
  const isDisrupted = conditions.some(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  )
  const isEndedAsWhole = reason !== undefined && reason !== '' && reason !== 'DeadlineExceeded'
  // The kubelet has lost the container, as after a crash of its node.
  return isDisrupted || isEndedAsWhole || endOfWork(pod)?.reason === 'ContainerStatusUnknown'
}

/**
 * What keeps a pod from starting. The message stays the same while a start proceeds normally, which saves status
 * writes.
 */
export function startProblem(pod: Pod | undefined, jobName: string): StartProblem {
  const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    const why = scheduled.message ?? scheduled.reason ?? 'no node was selected'
    return {
      reason: 'Scheduling',
      message: `the pod of Job ${jobName} is waiting for a node: ${why}`,
    }
  }
  for (const { waiting } of statesOf(pod)) {
    if (!waiting?.reason || harmless.has(waiting.reason)) continue
    const reason = imageProblems.has(waiting.reason) ? 'ImageUnavailable' : 'PodNotReady'
    return { reason, message: redact(described(waiting.reason, waiting.message)) }
  }
  return {
    reason: 'Submitting',
    message: `Job ${jobName} was created; its pod has not started yet`,
  }
}

const harmless = new Set(['ContainerCreating', 'PodInitializing'])

const imageProblems = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])

function described(reason: string, message: string | undefined): string {
  return message ? `${reason}: ${message}` : reason
}

function statesOf(pod: Pod | undefined): ContainerState[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ state }) => state ?? [])
}

import type { ContainerState, Pod } from '@agents/kube'
import { redact } from '@agents/log'

export interface Trouble {
  readonly reason: 'Submitting' | 'SubmitFailed' | 'Scheduling' | 'ImageUnavailable' | 'PodNotReady'
  readonly message: string
}

/** Whether a program of the pod has begun, be it long ended. */
export function hasBegun(pod: Pod | undefined): boolean {
  return statesOf(pod).some(({ running, terminated }) => running ?? terminated)
}

/** The end of the pod's first container, which does the work. */
export function endOfWork(pod: Pod | undefined): ContainerState['terminated'] {
  return pod?.status?.containerStatuses?.[0]?.state?.terminated
}

export function hasEnded(pod: Pod | undefined): boolean {
  const phase = pod?.status?.phase
  return phase === 'Succeeded' || phase === 'Failed'
}

/** What keeps a pod from beginning. The words stay the same while nothing goes wrong, so that nothing is written meanwhile. */
export function troubleOf(pod: Pod | undefined, jobName: string): Trouble {
  const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    const why = scheduled.message ?? scheduled.reason ?? 'no node has taken it'
    return { reason: 'Scheduling', message: `the pod of Job ${jobName} waits for a node: ${why}` }
  }
  for (const { waiting } of statesOf(pod)) {
    if (!waiting?.reason || harmless.has(waiting.reason)) continue
    const reason = imageTrouble.has(waiting.reason) ? 'ImageUnavailable' : 'PodNotReady'
    return { reason, message: redact(said(waiting.reason, waiting.message)) }
  }
  return { reason: 'Submitting', message: `Job ${jobName} was created; its pod has not begun yet` }
}

const harmless = new Set(['ContainerCreating', 'PodInitializing'])

const imageTrouble = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])

function said(reason: string, message: string | undefined): string {
  return message ? `${reason}: ${message}` : reason
}

function statesOf(pod: Pod | undefined): ContainerState[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ state }) => state ?? [])
}

import type { ContainerStatus, Job, Pod } from '@agents/kube'
import { secretsOnly } from '../kubernetes/pod-secrets.ts'

/** A Job as far as its course is concerned. Thousands are held, and each template is larger than all the rest. */
export function withoutTemplate(job: Job): Job {
  const { template: _bulk, ttlSecondsAfterFinished, backoffLimit } = job.spec
  return {
    ...job,
    spec: {
      template: { spec: { containers: [] } },
      ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
      ...(backoffLimit !== undefined && { backoffLimit }),
    },
  }
}

/** As `withoutTemplate`: what became of the pod, not what it is made of but for the names of its Secrets. */
export function withoutPodSpec(pod: Pod): Pod {
  const { spec, status, ...rest } = pod
  const { nodeName } = spec
  return {
    ...rest,
    spec: { containers: [], ...secretsOnly(spec), ...(nodeName !== undefined && { nodeName }) },
    ...(status && { status: course(status) }),
  }
}

/** Why a pod does not start, and whether the cluster ended it. */
const keptConditions = new Set(['PodScheduled', 'DisruptionTarget'])

function course(status: NonNullable<Pod['status']>): NonNullable<Pod['status']> {
  const { phase, reason, message, conditions, containerStatuses, initContainerStatuses } = status
  const kept = conditions?.filter(({ type }) => keptConditions.has(type))
  return {
    ...(phase !== undefined && { phase }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(kept && { conditions: kept }),
    ...(containerStatuses && { containerStatuses: containerStatuses.map(state) }),
    ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(state) }),
  }
}

function state({ name, ready, restartCount, state: now }: ContainerStatus): ContainerStatus {
  return { name, ready, restartCount, ...(now && { state: now }) }
}

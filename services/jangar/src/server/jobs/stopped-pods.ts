import type { ResourceCache } from '@agents/controller'
import { controllerOfKind, JobKind, ownerIndex, type Pod } from '@agents/kube'
import { endOfWork } from './pod-state.ts'

/** The ends of pods that were deleted with their Jobs: what a stopped program has used, it has used. */
export interface StoppedPods {
  /** The last pod of a Job that no longer exists. `expected`: its end has not been observed yet. */
  of(jobUid: string): Pod | 'expected' | undefined
}

/** A pod that was not asked for by then is of a run that was deleted. */
const mostPods = 1000

export function stoppedPods(pods: ResourceCache<Pod>): StoppedPods {
  const byJob = new Map<string, Pod>()
  const keep = (pod: Pod): void => {
    const uid = jobOf(pod)
    if (uid === undefined || pod.metadata.deletionTimestamp === undefined || !endOfWork(pod)) return
    byJob.delete(uid)
    byJob.set(uid, pod)
    const [oldest = ''] = byJob.keys()
    if (byJob.size > mostPods) byJob.delete(oldest)
  }
  pods.subscribe({ onAdd: keep, onUpdate: (_, pod) => keep(pod), onDelete: keep })
  return {
    of: (jobUid) => {
      const known = byJob.get(jobUid)
      if (known !== undefined) return known
      // The watch of Jobs is ahead of the watch of pods: the Job stayed until its pods were deleted.
      const isExpected = pods
        .byIndex(ownerIndex, jobUid)
        .some((pod) => jobOf(pod) === jobUid && pod.metadata.deletionTimestamp !== undefined)
      return isExpected ? 'expected' : undefined
    },
  }
}

/** The uid of the Job that controls the pod. Pods of others may name a Job too, but not as their controller. */
function jobOf(pod: Pod): string | undefined {
  return controllerOfKind(pod, JobKind)?.uid
}

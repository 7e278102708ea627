import type { BuiltinCondition, Job, JobSpec, Pod } from '@agents/kube'
import type { PodFailurePolicy } from './pod-failure-policy.ts'

/** A Job with the fields that only its controller reads and writes. */
export interface TrackedJob extends Job {
  spec: JobSpec & { podFailurePolicy?: PodFailurePolicy; managedBy?: string }
  status?: JobStatus
}

export interface JobStatus {
  active?: number
  ready?: number
  terminating?: number
  succeeded?: number
  failed?: number
  startTime?: string
  completionTime?: string
  conditions?: BuiltinCondition[]
  uncountedTerminatedPods?: Record<string, never>
}

export function isTrue(status: JobStatus | undefined, type: string): boolean {
  return (status?.conditions ?? []).some((one) => one.type === type && one.status === 'True')
}

export function isFinished(job: TrackedJob): boolean {
  return isTrue(job.status, 'Complete') || isTrue(job.status, 'Failed')
}

/** Number of attempts whose outcome was counted. */
export function countedAttempts({ status }: TrackedJob): number {
  return (status?.succeeded ?? 0) + (status?.failed ?? 0)
}

/** A pod that was deleted before it had a node will never run. */
export function outcomeOf(pod: Pod): 'succeeded' | 'failed' | undefined {
  if (pod.status?.phase === 'Succeeded') return 'succeeded'
  if (pod.status?.phase === 'Failed') return 'failed'
  const isUnplaced = (pod.spec.nodeName ?? '') === ''
  return pod.metadata.deletionTimestamp !== undefined && isUnplaced ? 'failed' : undefined
}

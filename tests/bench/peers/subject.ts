import type { AgentRun } from '@agents/jangar-api'
import { type Job, JobKind, type KindRef, type KubeClient } from '@agents/kube'
import { isFinished } from '@agents/status'
import { createRun, runKind } from '../../support/run-platform/run-platform.ts'
import { bareJob } from '../runs/bare-jobs.ts'

/** What is compared: objects that end when one pod has succeeded. */
export interface Subject<T extends AgentRun | Job = AgentRun | Job> {
  readonly name: 'run' | 'bare Job'
  readonly kind: KindRef<T>
  /** Whether the controllers of the platform are needed. */
  readonly needsControllers: boolean
  create(client: KubeClient, name: string): Promise<unknown>
  isFinished(object: T): boolean
  hasSucceeded(object: T): boolean
  /** The name of the object that a Job belongs to. */
  ownerOf(job: Job): string | undefined
}

export const runSubject: Subject<AgentRun> = {
  name: 'run',
  kind: runKind,
  needsControllers: true,
  create: (client, name) => createRun(client, name),
  isFinished: ({ status }) => isFinished(status?.conditions),
  hasSucceeded: ({ status }) => status?.phase === 'Succeeded',
  ownerOf: ({ metadata }) => metadata.ownerReferences?.[0]?.name,
}

export const jobSubject: Subject<Job> = {
  name: 'bare Job',
  kind: JobKind,
  needsControllers: false,
  create: (client, name) => client.create(JobKind, bareJob(name)),
  isFinished: (job) => hasCondition(job, 'Complete') || hasCondition(job, 'Failed'),
  hasSucceeded: (job) => hasCondition(job, 'Complete'),
  ownerOf: ({ metadata }) => metadata.name,
}

function hasCondition({ status }: Job, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false
}

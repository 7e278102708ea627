import type { AgentRun } from '@agents/jangar-api'
import { type Job, JobKind, type KindRef, type KubeClient, type KubeObject } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { Usage } from '../../support/run-platform/part-process.ts'
import { createRun, type RunPlatform, runKind } from '../../support/run-platform/run-platform.ts'
import { bareJob } from '../runs/bare-jobs.ts'
import {
  type Argo,
  createWorkflow,
  installArgo,
  startArgo,
  type Workflow,
  WorkflowKind,
} from './argo.ts'

/** What is compared: objects that end when one pod has succeeded. */
export interface Subject<T extends KubeObject = KubeObject> {
  readonly name: 'run' | 'bare Job' | 'Workflow'
  readonly kind: KindRef<T>
  /** Whether the cluster has the admission policies of the platform, which concern all Jobs and pods. */
  readonly hasPolicies: boolean
  /** Installs the kind, if the platform has not. */
  readonly install?: (client: KubeClient) => Promise<void>
  /** Starts the controllers of the kind, if Kubernetes itself has none. */
  readonly start?: (platform: RunPlatform) => Promise<Controllers>
  create(client: KubeClient, name: string): Promise<unknown>
  isFinished(object: T): boolean
  hasSucceeded(object: T): boolean
  /** The name of the object that a Job belongs to. If omitted, pods belong to the objects themselves. */
  readonly ownerOf?: (job: Job) => string | undefined
}

interface Controllers {
  readonly pid: number
  readonly usage?: () => Promise<Usage>
  stop(): Promise<void>
}

export const runSubject: Subject<AgentRun> = {
  name: 'run',
  kind: runKind,
  hasPolicies: true,
  start: (platform) => platform.startControllers(),
  create: (client, name) => createRun(client, name),
  isFinished: ({ status }) => isFinished(status?.conditions),
  hasSucceeded: ({ status }) => status?.phase === 'Succeeded',
  ownerOf: ({ metadata }) => metadata.ownerReferences?.[0]?.name,
}

export const jobSubject: Subject<Job> = {
  name: 'bare Job',
  kind: JobKind,
  hasPolicies: true,
  create: (client, name) => client.create(JobKind, bareJob(name)),
  isFinished: (job) => hasCondition(job, 'Complete') || hasCondition(job, 'Failed'),
  hasSucceeded: (job) => hasCondition(job, 'Complete'),
  ownerOf: ({ metadata }) => metadata.name,
}

export function workflowSubject(argo: Argo): Subject<Workflow> {
  return {
    name: 'Workflow',
    kind: WorkflowKind,
    hasPolicies: false,
    install: (client) => installArgo(argo, client),
    start: (platform) => startArgo(argo, platform),
    create: (client, name) => createWorkflow(client, name),
    isFinished: ({ status }) => ['Succeeded', 'Failed', 'Error'].includes(status?.phase ?? ''),
    hasSucceeded: ({ status }) => status?.phase === 'Succeeded',
  }
}

function hasCondition({ status }: Job, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false
}

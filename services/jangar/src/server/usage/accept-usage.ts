import type { Clock, ResourceCache } from '@agents/controller'
import { type AgentRun, agentRun, type Budget, budget } from '@agents/jangar-api'
import { formatKey, isConflict, type KubeClient, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { Usage } from '../../run-contract/usage.ts'
import { usageIntervalSeconds } from '../../run-contract/usage-report.ts'
import type { PodRun } from '../api/access/run-of-pod.ts'
import { ApiError } from '../api/api-error.ts'
import { runtimeRefOf } from '../jobs/runtime-ref.ts'
import { reportedProgress } from './reported-progress.ts'

interface UsagePorts {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'update'>
  /** May be behind. */
  readonly runs: Pick<ResourceCache<AgentRun>, 'get'>
  readonly clock: Clock
}

/** Takes what a pod has used so far; resolves to the seconds after which the next report is of use. */
export type AcceptUsage = (pod: string, run: PodRun, report: Usage) => Promise<number>

const runKind = kindRef<AgentRun>(agentRun)
const budgetKind = kindRef<Budget>(budget)

/** Where no Budget can act on it, people look at it. */
const idleIntervalSeconds = 60
/** A little less than pods are asked to wait, since their clocks are not ours. */
const shortestPauseMs = usageIntervalSeconds * 900
const mostPods = 20_000
const budgetsForMs = 30_000
const tries = 5

/**
 * Writes reports of pods to `status.progress` of their run. A write is guarded by the version of the run in which the
 * attempt was running: what the controllers have counted as the usage of an ended attempt is never counted again.
 */
export function usageAcceptor({ client, runs, clock }: UsagePorts): AcceptUsage {
  const takenAt = new Map<string, number>()
  const hasBudgets = budgetsIn(client, clock)
  return async (pod, run, report) => {
    const now = clock.elapsed()
    const waitMs = (takenAt.get(pod) ?? Number.NEGATIVE_INFINITY) + shortestPauseMs - now
    if (waitMs > 0) {
      const message = `a pod may report once in ${usageIntervalSeconds} s`
      throw new ApiError('TooManyRequests', message, { retryAfterMs: waitMs })
    }
    takenAt.delete(pod)
    takenAt.set(pod, now)
    if (takenAt.size > mostPods) takenAt.delete(takenAt.keys().next().value ?? '')
    await write({ client, runs, clock }, run, report)
    return (await hasBudgets(run.namespace)) ? usageIntervalSeconds : idleIntervalSeconds
  }
}

async function write(
  { client, runs, clock }: UsagePorts,
  { namespace, name, uid, job }: PodRun,
  report: Usage,
): Promise<void> {
  const key = { namespace, name }
  const cached = runs.get(formatKey(key))
  let run = cached ?? (await client.get(runKind, key))
  for (let attempt = 1; ; attempt += 1) {
    if (run.metadata.uid !== uid || !isRunning(run, job.uid)) {
      // The cache may not show yet that the attempt has started.
      if (run !== cached) throw new ApiError('Conflict', 'the attempt of the pod is not running')
    } else {
      const progress = reportedProgress(run.status?.progress, job.name, report, clock.now())
      if (progress === undefined) return
      const { apiVersion, kind, metadata } = run
      const guarded = { ...key, uid, resourceVersion: metadata.resourceVersion }
      const status = { ...run.status, progress }
      const body = { apiVersion, kind, metadata: guarded, status } as AgentRun
      try {
        await client.update(runKind, body, { subresource: 'status' })
        return
      } catch (error) {
        if (!isConflict(error) || attempt === tries) throw error
      }
    }
    run = await client.get(runKind, key)
  }
}

/** Whether the controllers have not recorded the end of the attempt. */
function isRunning(run: AgentRun, jobUid: string): boolean {
  if (isFinished(run.status?.conditions)) return false
  const { type, uid, task } = runtimeRefOf(run) ?? {}
  if (type === 'job') return uid === jobUid && task?.phase === 'Running'
  const steps = run.status?.workflow?.steps ?? []
  return steps.some(({ phase, jobRef }) => jobRef?.uid === jobUid && phase === 'Running')
}

/** Whether a namespace has Budgets, as of some seconds ago. */
function budgetsIn(client: Pick<KubeClient, 'list'>, clock: Clock) {
  const known = new Map<string, { readonly until: number; readonly has: Promise<boolean> }>()
  return (namespace: string): Promise<boolean> => {
    const now = clock.elapsed()
    const earlier = known.get(namespace)
    if (earlier !== undefined && earlier.until > now) return earlier.has
    const has = client.list(budgetKind, { namespace, limit: 1 }).then(
      ({ items }) => items.length > 0,
      // Then nobody waits for reports either.
      () => false,
    )
    known.set(namespace, { until: now + budgetsForMs, has })
    return has
  }
}

import { type ChangeHandlers, type Clock, type Runnable, whenAborted } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { formatKey, type Job, type KubeObject, type Pod } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { Tracer } from '@agents/tracing'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import type { CoreCaches } from '../../../caches/core-caches.ts'
import { jobOutcome } from '../../../jobs/job-outcome.ts'
import { annotations, labels } from '../../../kubernetes/labels.ts'
import { RunLife } from './run-life.ts'
import { runTrace } from './run-trace.ts'
import { hasSeenEnd } from './seen-end.ts'
import { AttemptLife, jobNameOf, PodLife } from './work-life.ts'

export interface RunTracesOptions {
  readonly caches: Pick<AgentsCaches & CoreCaches, 'agentRuns' | 'jobs' | 'pods'>
  readonly tracer: Tracer
  readonly clock: Clock
}

/**
 * Records a trace for each run from what the caches observe, so that reconcilers are not involved or slowed down. Run
 * by the leader only. The next leader records the spans that are open when this one stops, and those that end in
 * between.
 */
export function runTraces(options: RunTracesOptions): Runnable {
  const { agentRuns, jobs, pods } = options.caches
  return {
    name: 'run traces',
    run: async (signal) => {
      const subscriptions = [
        agentRuns.subscribe(watchRuns(options)),
        jobs.subscribe(watchJobs(options)),
        pods.subscribe(watchPods(options)),
      ]
      await whenAborted(signal)
      for (const subscription of subscriptions) subscription.remove()
    },
  }
}

function watchRuns({ tracer, clock }: RunTracesOptions): ChangeHandlers<AgentRun> {
  const lives = new Map<string, RunLife>()
  const see = (run: AgentRun): void => {
    const { uid = '' } = run.metadata
    const life = lives.get(uid)
    if (life === undefined) return
    const now = clock.now().getTime()
    if (!isFinished(run.status?.conditions)) {
      life.see(run, now)
      return
    }
    life.end(run, now)
    lives.delete(uid)
  }
  return {
    onAdd: (run, isInInitialList) => {
      if (isInInitialList && isFinished(run.status?.conditions)) return
      if (!runTrace(run, tracer).root.isSampled) return
      const now = clock.now().getTime()
      const life = new RunLife(tracer, run, now)
      lives.set(run.metadata.uid ?? '', life)
      if (isInInitialList) life.recall(run, now)
      else see(run)
    },
    onUpdate: (_before, after) => see(after),
    onDelete: (run) => {
      const { uid = '' } = run.metadata
      lives.get(uid)?.end(run, clock.now().getTime(), true)
      lives.delete(uid)
    },
  }
}

function watchJobs({ caches, tracer, clock }: RunTracesOptions): ChangeHandlers<Job> {
  const lives = new Map<string, AttemptLife>()
  const end = (job: Job): void => {
    const { uid = '' } = job.metadata
    const life = lives.get(uid)
    lives.delete(uid)
    const run = runOf(job, caches)
    if (run) life?.end(tracer, run, job, clock.now().getTime())
  }
  return {
    onAdd: (job, isInInitialList) => {
      const run = runOf(job, caches)
      if (isInInitialList && jobOutcome(job) && (!run || hasSeenEnd(run, job.metadata.name))) return
      lives.set(job.metadata.uid ?? '', new AttemptLife(job, clock.now().getTime()))
      if (jobOutcome(job)) end(job)
    },
    onUpdate: (_before, after) => {
      if (jobOutcome(after)) end(after)
    },
    onDelete: end,
  }
}

function watchPods({ caches, tracer, clock }: RunTracesOptions): ChangeHandlers<Pod> {
  const lives = new Map<string, PodLife>()
  const see = (pod: Pod): void => {
    const run = runOf(pod, caches)
    const life = lives.get(pod.metadata.uid ?? '')
    if (run) life?.see(tracer, run, pod, clock.now().getTime())
  }
  return {
    onAdd: (pod, isInInitialList) => {
      const now = clock.now().getTime()
      const life = new PodLife(pod, now)
      lives.set(pod.metadata.uid ?? '', life)
      const run = runOf(pod, caches)
      if (isInInitialList) life.recall(pod, now, !run || hasSeenEnd(run, jobNameOf(pod)))
      see(pod)
    },
    onUpdate: (_before, after) => see(after),
    onDelete: (pod) => {
      see(pod)
      lives.delete(pod.metadata.uid ?? '')
    },
  }
}

/** By annotation or label: the name is known even if the owning Job is not in the cache yet. */
function runOf(
  { metadata }: KubeObject,
  { agentRuns }: RunTracesOptions['caches'],
): AgentRun | undefined {
  const name = metadata.annotations?.[annotations.agentRun] ?? metadata.labels?.[labels.agentRun]
  const { namespace } = metadata
  return name === undefined ? undefined : agentRuns.get(formatKey({ namespace, name }))
}

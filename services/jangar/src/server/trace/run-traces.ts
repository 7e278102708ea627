import {
  type ChangeHandlers,
  type Clock,
  type ResourceCache,
  type Runnable,
  type Subscription,
  whenAborted,
} from '@agents/controller'
import { formatKey, type Job, type KubeObject, type Pod } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { Tracer } from '@agents/tracing'
import type { CoreCaches } from '../caches/core-caches.ts'
import { jobOutcome } from '../jobs/job-outcome.ts'
import { runOf as keyOfRun, type RunKind } from '../jobs/run-kind.ts'
import { RunLife } from './run-life.ts'
import { runTrace } from './run-trace.ts'
import { hasSeenEnd, type RunWithJobs } from './seen-end.ts'
import type { TracedKind, TracedRun } from './traced-kind.ts'
import { AttemptLife, jobNameOf, PodLife, type RunOfWork } from './work-life.ts'

interface RunTracesOptions<Run extends TracedRun> {
  readonly kind: TracedKind<Run>
  readonly runs: ResourceCache<Run>
  readonly tracer: Tracer
  readonly clock: Clock
  /** Records the spans of a run. If omitted, those that all kinds have. */
  readonly lifeOf?: (run: Run, nowMs: number) => Pick<RunLife<Run>, 'recall' | 'see' | 'end'>
}

interface JobTracesOptions<Run extends RunWithJobs> extends RunTracesOptions<Run> {
  /** How Jobs and pods name their run. */
  readonly owner: Pick<RunKind, 'label' | 'annotation'>
  readonly caches: Pick<CoreCaches, 'jobs' | 'pods'>
}

/**
 * Records a trace for each run from what the caches observe, so that reconcilers are not involved or slowed down. Run
 * by the leader only. The next leader records the spans that are open when this one stops, and those that end in
 * between.
 */
export function runTraces<Run extends TracedRun>(options: RunTracesOptions<Run>): Runnable {
  return subscribed(options, () => [options.runs.subscribe(watchRuns(options))])
}

/** Like `runTraces`, for runs that Jobs execute, whose attempts and pods are spans too. */
export function jobRunTraces<Run extends RunWithJobs>(options: JobTracesOptions<Run>): Runnable {
  return subscribed(options, () => [
    options.runs.subscribe(watchRuns(options)),
    options.caches.jobs.subscribe(watchJobs(options)),
    options.caches.pods.subscribe(watchPods(options)),
  ])
}

function subscribed(
  { kind }: { readonly kind: { readonly name: string } },
  subscribe: () => readonly Subscription[],
): Runnable {
  return {
    name: `traces of ${kind.name}s`,
    run: async (signal) => {
      const subscriptions = subscribe()
      await whenAborted(signal)
      for (const subscription of subscriptions) subscription.remove()
    },
  }
}

function watchRuns<Run extends TracedRun>({
  kind,
  tracer,
  clock,
  lifeOf = (run, nowMs) => new RunLife(tracer, kind, run, nowMs),
}: RunTracesOptions<Run>): ChangeHandlers<Run> {
  const lives = new Map<string, ReturnType<typeof lifeOf>>()
  const see = (run: Run): void => {
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
      const life = lifeOf(run, now)
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

function watchJobs<Run extends RunWithJobs>(options: JobTracesOptions<Run>): ChangeHandlers<Job> {
  const { tracer, clock } = options
  const lives = new Map<string, AttemptLife>()
  const end = (job: Job): void => {
    const { uid = '' } = job.metadata
    const life = lives.get(uid)
    lives.delete(uid)
    const run = runOf(job, options)
    if (run) life?.end(tracer, work(run, options), job, clock.now().getTime())
  }
  return {
    onAdd: (job, isInInitialList) => {
      if (keyOfRun(options.owner, job) === undefined) return
      const run = runOf(job, options)
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

function watchPods<Run extends RunWithJobs>(options: JobTracesOptions<Run>): ChangeHandlers<Pod> {
  const { tracer, clock } = options
  const lives = new Map<string, PodLife>()
  const see = (pod: Pod): void => {
    const run = runOf(pod, options)
    const life = lives.get(pod.metadata.uid ?? '')
    if (run) life?.see(tracer, work(run, options), pod, clock.now().getTime())
  }
  return {
    onAdd: (pod, isInInitialList) => {
      if (keyOfRun(options.owner, pod) === undefined) return
      const now = clock.now().getTime()
      const life = new PodLife(pod, now)
      lives.set(pod.metadata.uid ?? '', life)
      const run = runOf(pod, options)
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

function runOf<Run extends RunWithJobs>(
  object: KubeObject,
  { owner, runs }: Pick<JobTracesOptions<Run>, 'owner' | 'runs'>,
): Run | undefined {
  const key = keyOfRun(owner, object)
  return key === undefined ? undefined : runs.get(formatKey(key))
}

function work<Run extends TracedRun>(
  run: Run,
  { kind }: Pick<RunTracesOptions<Run>, 'kind'>,
): RunOfWork {
  return { run, attributes: kind.attributesOf(run) }
}

import {
  Children,
  type Clock,
  Controller,
  type EventRecorder,
  fromInformer,
  mappedSource,
  objectApi,
  ownedSource,
  type ReconcileContext,
  type ReconcileResult,
} from '@agents/controller'
import {
  byOwner,
  formatKey,
  type InformerLease,
  isConflict,
  isNotFound,
  JobKind,
  type KindRef,
  type KubeClient,
  ownerIndex,
  type Pod,
  PodKind,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { defaultJobBackoff, type JobBackoff } from './job-backoff.ts'
import { trackingFinalizer } from './job-conditions.ts'
import { isTracked, type JobPlan, planJob } from './plan-job.ts'
import { podOfJob } from './pod-of-job.ts'
import { isFinished, type JobStatus, type TrackedJob } from './tracked-job.ts'

interface JobControllerOptions {
  readonly client: KubeClient
  readonly jobs: InformerLease<TrackedJob>
  readonly pods: InformerLease<Pod>
  readonly log: Logger
  readonly clock?: Clock
  readonly events?: EventRecorder
  readonly backoff?: JobBackoff
  readonly workers?: number
  /** Assigns a node to pods when they are created, so that they need not be bound in a second step. */
  readonly slots?: PodSlotReservations
}

interface PodSlotReservations {
  /** The node with a reserved slot for the pod; undefined if there is none. */
  reserve(key: string): string | undefined
  /** To be called if the pod was not created. */
  unreserve(key: string): void
}

/** The Job kind with the fields that its controller uses. */
export const TrackedJobKind = JobKind as KindRef<TrackedJob>

const owner = { group: 'batch', kind: 'Job', namespaced: true }

/**
 * Creates the pods of Jobs and counts their outcomes, as kube-controller-manager does, one pod at a time for each Job.
 */
export function createJobController(options: JobControllerOptions): Controller<TrackedJob> {
  const { jobs, pods, log, clock, workers = 8 } = options
  pods.informer.addIndexers({ [ownerIndex]: byOwner })
  const source = fromInformer(pods)
  const steps = new JobSteps(options, new Children(objectApi(options.client, PodKind), source))
  return new Controller<TrackedJob>({
    kind: JobKind,
    primary: fromInformer(jobs),
    sources: [
      ownedSource('pods', source, owner),
      // Nobody else removes the finalizers from the pods of a deleted Job.
      mappedSource('orphans', source, (pod) => {
        void steps.releaseOrphan(pod)
        return []
      }),
    ],
    reconcile: (job, context) => steps.reconcile(job, context),
    gone: (key) => steps.gone(key),
    log,
    workers,
    ...(clock && { clock }),
  })
}

/** A reconcile counts at most one new outcome, but plans again after each change. */
const mostRounds = 3

class JobSteps {
  readonly #options: JobControllerOptions
  readonly #children: Children<Pod>
  /** When the last failure of a Job was seen, by its uid. */
  readonly #failures = new Map<string, number>()
  /** When a Job was first reconciled, by its key, until its start time is written. */
  readonly #begun = new Map<string, { readonly uid: string; readonly at: Date }>()

  constructor(options: JobControllerOptions, children: Children<Pod>) {
    this.#options = options
    this.#children = children
  }

  async reconcile(
    seen: TrackedJob,
    context: ReconcileContext<TrackedJob>,
  ): Promise<ReconcileResult> {
    if ((seen.spec.managedBy ?? ours) !== ours) return {}
    if (isFinished(seen) || seen.metadata.deletionTimestamp !== undefined) {
      this.#failures.delete(seen.metadata.uid ?? '')
      this.gone(formatKey(seen.metadata))
      await this.#release(this.#podsOf(seen), context.signal)
      return {}
    }
    let job = seen
    for (let round = 0; round < mostRounds; round += 1) {
      const uid = job.metadata.uid ?? ''
      const { backoff = defaultJobBackoff } = this.#options
      const pods = this.#podsOf(job)
      const { now } = context
      const plan = planJob(
        job,
        pods,
        { now, begunAt: this.#begunAt(job, now) },
        backoff,
        this.#failures.get(uid),
      )
      if (plan.recordFirst) {
        if (plan.status.failed !== job.status?.failed) {
          this.#failures.set(uid, context.now.getTime())
        }
        const recorded = await this.#record(job, plan, context)
        if (recorded === undefined) return { tryAgain: true }
        job = recorded
        await this.#release(plan.release, context.signal)
        if (isFinished(job)) {
          this.#failures.delete(uid)
          return {}
        }
        continue
      }
      return this.#apply(job, plan, context)
    }
    return { tryAgain: true }
  }

  async releaseOrphan(pod: Pod): Promise<void> {
    if (pod.metadata.deletionTimestamp === undefined || !isTracked(pod)) return
    const reference = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
    const { namespace } = pod.metadata
    const job =
      reference && this.#options.jobs.informer.store.get({ namespace, name: reference.name })
    if (job !== undefined && job.metadata.uid === reference?.uid) return
    if (!this.#options.jobs.informer.hasSynced()) return
    await this.#release([pod]).catch((error: unknown) => {
      this.#options.log.warn('pod of a deleted Job could not be released', {
        pod: pod.metadata.name,
        error,
      })
    })
  }

  async #apply(
    job: TrackedJob,
    plan: JobPlan,
    context: ReconcileContext<TrackedJob>,
  ): Promise<ReconcileResult> {
    const { signal } = context
    await this.#release(plan.release, signal)
    let { status } = plan
    if (plan.create !== undefined) {
      await this.#create(job, plan.create, signal)
      status = { ...status, active: 1 }
    }
    if (plan.end !== undefined) await this.#end(job, plan.end, signal)
    const { recheckAfterMs = Number.POSITIVE_INFINITY } = plan
    const age = context.now.getTime() - this.#begunAt(job, context.now).getTime()
    if (age < quietMs && isSmallTalk(job.status, status)) {
      return { recheckAfterMs: Math.max(Math.min(recheckAfterMs, quietMs - age), 1) }
    }
    const recorded = await this.#record(job, { status }, context)
    if (recorded === undefined) return { tryAgain: true }
    return { recheckAfterMs: Math.max(recheckAfterMs, 1) }
  }

  #begunAt({ metadata }: TrackedJob, now: Date): Date {
    const key = formatKey(metadata)
    const known = this.#begun.get(key)
    if (known !== undefined && known.uid === metadata.uid) return known.at
    this.#begun.set(key, { uid: metadata.uid ?? '', at: now })
    return now
  }

  gone(key: string): void {
    this.#begun.delete(key)
  }

  async #create(job: TrackedJob, attempt: number, signal: AbortSignal): Promise<void> {
    const pod = podOfJob(job, attempt)
    const key = formatKey(pod.metadata)
    const isFree =
      (pod.spec.nodeName ?? '') === '' && this.#children.get(pod.metadata) === undefined
    const nodeName = isFree ? this.#options.slots?.reserve(key) : undefined
    if (nodeName !== undefined) pod.spec.nodeName = nodeName
    let isCreated = false
    try {
      const { kind, object } = await this.#children.createOrObserve(pod, job, signal)
      isCreated = kind === 'created'
      if (!isCreated) return
      const message = `Created pod: ${object.metadata.name}`
      this.#options.events?.record(job, { type: 'Normal', reason: 'SuccessfulCreate', message })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `Error creating: ${why}`
      this.#options.events?.record(job, { type: 'Warning', reason: 'FailedCreate', message })
      throw error
    } finally {
      if (nodeName !== undefined && !isCreated) this.#options.slots?.unreserve(key)
    }
  }

  async #end(
    job: TrackedJob,
    end: NonNullable<JobPlan['end']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { metadata } = end.pod
    if (end.uncounted) await this.#release([end.pod], signal)
    const { uid } = metadata
    const preconditions = uid === undefined ? undefined : { uid }
    await unlessGone(this.#options.client.delete(PodKind, metadata, { preconditions, signal }))
    const message = `Deleted pod: ${metadata.name}`
    this.#options.events?.record(job, { type: 'Normal', reason: 'SuccessfulDelete', message })
  }

  /** The Job with its new status; undefined after a conflict. */
  async #record(
    job: TrackedJob,
    { status }: Pick<JobPlan, 'status'>,
    { signal, remember }: ReconcileContext<TrackedJob>,
  ): Promise<TrackedJob | undefined> {
    if (JSON.stringify(sorted(status)) === JSON.stringify(sorted(job.status ?? {}))) return job
    try {
      const written = await this.#options.client.update(
        TrackedJobKind,
        { ...job, status },
        { signal, subresource: 'status' },
      )
      remember(written)
      this.#reportEnd(written, job)
      return written
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined
      throw error
    }
  }

  #reportEnd(after: TrackedJob, before: TrackedJob): void {
    const ends = after.status?.conditions?.filter(
      ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
    )
    const [end] = ends ?? []
    if (end === undefined || isFinished(before)) return
    const note =
      end.type === 'Complete'
        ? ({ type: 'Normal', reason: 'Completed', message: 'Job completed' } as const)
        : ({ type: 'Warning', reason: end.reason ?? '', message: end.message ?? '' } as const)
    this.#options.events?.record(after, note)
  }

  async #release(pods: readonly Pod[], signal?: AbortSignal): Promise<void> {
    for (const pod of pods.filter(isTracked)) {
      const { name, namespace, resourceVersion, finalizers = [] } = pod.metadata
      const rest = finalizers.filter((one) => one !== trackingFinalizer)
      // Guarded by resourceVersion: a change of the pod requeues the Job.
      const metadata = { resourceVersion, finalizers: rest.length > 0 ? rest : null }
      const body = { metadata }
      await unlessGone(
        this.#options.client.patch(
          PodKind,
          { name, namespace },
          { type: 'merge', body },
          signal ? { signal } : {},
        ),
      )
    }
  }

  #podsOf(job: TrackedJob): Pod[] {
    const { uid = '' } = job.metadata
    return this.#options.pods.informer.store.byIndex(ownerIndex, uid)
  }
}

/** The status of a Job that ends within this time is written once, when it has ended. */
const quietMs = 500

/** Whether the two differ only in counts that change again soon. */
function isSmallTalk(before: JobStatus = {}, after: JobStatus): boolean {
  return JSON.stringify(sorted(lasting(before))) === JSON.stringify(sorted(lasting(after)))
}

function lasting(status: JobStatus): JobStatus {
  const {
    active: _a,
    ready: _r,
    startTime: _s,
    terminating: _t,
    uncountedTerminatedPods: _u,
    ...rest
  } = status
  return rest
}

/** Value of `managedBy` that means the built-in controller. */
const ours = 'kubernetes.io/job-controller'

/** After a conflict, an event of the changed pod requeues the Job. */
async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

function sorted(status: object): [string, unknown][] {
  return Object.entries(status)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

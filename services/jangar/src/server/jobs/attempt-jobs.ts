import {
  Children,
  type GateContext,
  objectApi,
  ownedSource,
  type ResourceCache,
  type Source,
} from '@agents/controller'
import {
  controllerOfKind,
  formatApiVersion,
  formatKey,
  isConflict,
  isControlledBy,
  isNotFound,
  type Job,
  JobKind,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  type Owner,
  ownerIndex,
  type Pod,
  PodKind,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { jobFields } from '../caches/cached-fields.ts'
import type { AttemptObjects } from './attempt-objects.ts'
import { createConfigMap, deleteConfigMap } from './config-map.ts'
import { isBeingDeleted, jobOutcome } from './job-outcome.ts'
import { type PodOutput, podOutput } from './output/pod-output.ts'
import { hasEnded } from './pod-state.ts'
import type { RunKind } from './run-kind.ts'
import { type StoppedPods, stoppedPods } from './stopped-pods.ts'
import { strayJobs } from './stray-jobs.ts'

/** The Jobs of a run kind and their pods: created once per attempt, found by owner, and stopped. */
export interface AttemptJobs<Run extends KubeObject = KubeObject> {
  /** Creates the objects of an attempt. Idempotent. The Job is created after the finalizer that stops it. */
  submit(run: Run, objects: AttemptObjects, context: SubmitContext): Promise<Job>
  /** The Job with this uid. Undefined only if the server has none: a cache that lags behind is not trusted. */
  find(key: ObjectKey & { readonly uid: string }, signal: AbortSignal): Promise<Job | undefined>
  /** The newest pod that the Job controls. */
  podOf(job: Job, signal: AbortSignal): Promise<Pod | undefined>
  /** The pods of Jobs that were stopped and no longer exist. */
  readonly stopped: StoppedPods
  /** The output of an ended pod, with what is needed to mask it. */
  outputOf(pod: Pod, hasFailed: boolean, signal: AbortSignal): Promise<PodOutput>
  /** All Jobs that the run controls. */
  of(run: Run): Job[]
  unfinished(run: Run): Job[]
  /** Unfinished Jobs of the run that lost their owner reference. */
  strays(run: Run): Job[]
  /** Deletes the Job in the foreground: it exists until its pods have ended. */
  stop(job: Job, signal: AbortSignal): Promise<void>
  /**
   * Requeues a run when a Job appears that this process did not knowingly create: another process created it, or a
   * request succeeded although it seemed to fail. The run may have finished or lost its slot in the meantime.
   */
  readonly arrivals: Source
}

export type SubmitContext = Pick<GateContext, 'signal' | 'finalizerAdded'>

export interface AttemptJobsOptions {
  readonly client: KubeClient
  readonly caches: { readonly jobs: ResourceCache<Job>; readonly pods: ResourceCache<Pod> }
  readonly kind: RunKind
  readonly log: Logger
}

export function attemptJobs<Run extends KubeObject>({
  client,
  caches,
  kind,
  log,
}: AttemptJobsOptions): AttemptJobs<Run> {
  const jobs = new Children<Job>(objectApi(client, JobKind, { created: jobFields }), caches.jobs)
  const strays = strayJobs(caches.jobs, kind)
  /** By uid of the run: Jobs that were created and are not in the cache yet. */
  const uncached = new Map<string, ObjectKey>()
  /** Keys of Jobs that this process is creating: their arrival is not news. */
  const expected = new Set<string>()
  const onCached = (job: Job): void => {
    const owner = controllerOfKind(job, kind.owner)
    if (owner !== undefined) uncached.delete(owner.uid)
  }
  caches.jobs.subscribe({ onAdd: onCached, onUpdate: () => undefined, onDelete: onCached })
  const of = (run: Run): Job[] => {
    const { uid = '' } = run.metadata
    const cached = caches.jobs.byIndex(ownerIndex, uid).filter((job) => isControlledBy(job, run))
    const key = uncached.get(uid)
    const created = key && jobs.get(key)
    return created && !cached.some(({ metadata }) => metadata.uid === created.metadata.uid)
      ? [...cached, created]
      : cached
  }
  return {
    submit: async (run, { configMaps, job, superseded }, { signal, finalizerAdded }) => {
      for (const name of superseded) await deleteConfigMap(client, run, name, signal)
      // The ConfigMaps of a Job that exists were created before it.
      const exists = jobs.get(job.metadata) !== undefined
      for (const map of exists ? [] : configMaps) {
        await createConfigMap({ client, owner: run, map, job: job.metadata, signal })
      }
      // Adding the finalizer takes one request, as creating the ConfigMaps does: this hardly delays the Job.
      await finalizerAdded
      const key = formatKey(job.metadata)
      if (!exists) expected.add(key)
      const result = await jobs.createOrObserve(job, run, signal).catch((error) => {
        expected.delete(key)
        throw error
      })
      const { object } = result
      const { uid } = run.metadata
      const isCached = caches.jobs.get(formatKey(object.metadata)) !== undefined
      if (result.kind === 'created' && uid !== undefined && !isCached) {
        uncached.set(uid, object.metadata)
      }
      return object
    },
    find: async (key, signal) => {
      const known = jobs.get(key)
      if (known?.metadata.uid === key.uid) return known
      const live = await client.get(JobKind, key, { signal }).catch(ignoreNotFound)
      return live?.metadata.uid === key.uid ? live : undefined
    },
    podOf: async (job, signal) => {
      const { uid = '', namespace, name } = job.metadata
      const isOfJob = (pod: Pod): boolean => isControlledBy(pod, jobOwner(job))
      const cached = newestOf(caches.pods.byIndex(ownerIndex, uid).filter(isOfJob))
      if (!jobOutcome(job) || hasEnded(cached)) return cached
      // The watch of Jobs is ahead of the watch of pods.
      const labelSelector = `batch.kubernetes.io/job-name=${name}`
      const { items } = await client.list(PodKind, { namespace, labelSelector, signal })
      return newestOf(items.filter(isOfJob)) ?? cached
    },
    stopped: stoppedPods(caches.pods),
    outputOf: (pod, hasFailed, signal) => podOutput({ client, log }, pod, hasFailed, signal),
    of,
    unfinished: (run) => of(run).filter(isUnfinished),
    strays: (run) => strays.of(run).filter(isUnfinished),
    stop: (job, signal) => stopJob(client, job, signal),
    arrivals: ownedSource('arrivals', caches.jobs, kind.owner, {
      add: ({ metadata }) => !expected.delete(formatKey(metadata)),
      update: () => false,
      delete: ({ metadata }) => {
        expected.delete(formatKey(metadata))
        return false
      },
    }),
  }
}

async function stopJob(client: KubeClient, job: Job, signal: AbortSignal): Promise<void> {
  if (isBeingDeleted(job)) return
  const { uid } = job.metadata
  try {
    await client.delete(JobKind, job.metadata, {
      propagationPolicy: 'Foreground',
      ...(uid !== undefined && { preconditions: { uid } }),
      signal,
    })
  } catch (error) {
    // Not found or replaced by another Job of the same name: this one no longer exists.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

function isUnfinished(job: Job): boolean {
  return isBeingDeleted(job) || !jobOutcome(job)
}

/** The Job as the controller of its pods: anybody may give a pod the labels of one, or name it as a further owner. */
function jobOwner({ metadata }: Job): Owner {
  return { apiVersion: formatApiVersion(JobKind), kind: JobKind.kind, metadata }
}

function ignoreNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined
  throw error
}

function newestOf(pods: readonly Pod[]): Pod | undefined {
  const age = ({ metadata }: Pod): string => `${metadata.creationTimestamp} ${metadata.name}`
  return pods.toSorted((a, b) => (age(a) < age(b) ? -1 : 1)).at(-1)
}

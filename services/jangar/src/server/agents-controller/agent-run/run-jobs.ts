import {
  Children,
  createOnce,
  type GateContext,
  objectApi,
  ownedSource,
  type Source,
} from '@agents/controller'
import { type AgentRun, agentRun } from '@agents/jangar-api'
import {
  ConfigMapKind,
  controllerOf,
  formatKey,
  isConflict,
  isControlledBy,
  isForbidden,
  isNotFound,
  type Job,
  JobKind,
  type KubeClient,
  type ObjectKey,
  OWNER_INDEX,
  type Pod,
  PodKind,
} from '@agents/kube'
import { labels, labelValue } from '../labels.ts'
import type { AgentsPorts } from '../ports.ts'
import { isBeingDeleted, jobOutcome } from './task/job-outcome.ts'
import { hasEnded } from './task/pod-state.ts'
import { jobName } from './workload/work-names.ts'
import type { WorkObjects } from './workload/work-objects.ts'

/** The Jobs of runs and their pods, found by owner; created once, and stopped for good. */
export interface RunJobs {
  /** Harmless to repeat: names are the same each time. No Job comes before the finalizer that sees to its end. */
  submit(run: AgentRun, objects: WorkObjects, pass: SubmitPass): Promise<Job>
  /** That very Job. Absent only when the server says so: a cache may be late. */
  find(key: ObjectKey & { readonly uid: string }, signal: AbortSignal): Promise<Job | undefined>
  /** The pod that says most about the Job: its last. */
  podOf(job: Job, signal: AbortSignal): Promise<Pod | undefined>
  /** All of the run. */
  of(run: AgentRun): Job[]
  unfinished(run: AgentRun): Job[]
  /** Unfinished ones that lost their owner: whoever deletes a run may ask for what it owns to be set free. */
  strays(run: AgentRun): Job[]
  /** It stays, marked, until its pods have ended. */
  stop(job: Job, signal: AbortSignal): Promise<void>
  /**
   * Looks at a run that got a Job and may not know: from another process, or by a request that seemed to have failed. The run may
   * have ended meanwhile, or have given its place away.
   */
  readonly arrivals: Source
}

export type SubmitPass = Pick<GateContext, 'signal' | 'marked'>

export function runJobs({ client, caches }: Pick<AgentsPorts, 'client' | 'caches'>): RunJobs {
  const jobs = new Children<Job>(objectApi(client, JobKind), caches.jobs)
  const configMaps = objectApi(client, ConfigMapKind)
  const created = new Map<string, ObjectKey>()
  /** Whoever hands a Job over knows of it when it shows up. */
  const expected = new Set<string>()
  const seen = ({ metadata }: Job): void => {
    for (const { uid } of metadata.ownerReferences ?? []) created.delete(uid)
  }
  caches.jobs.addIndexers({ [strays]: straysIn })
  caches.jobs.subscribe({ onAdd: seen, onUpdate: () => undefined, onDelete: seen })
  const of = (run: AgentRun): Job[] => {
    const { uid = '' } = run.metadata
    const known = caches.jobs.byIndex(OWNER_INDEX, uid)
    // What was created a moment ago is the run's too, though the cache does not show it yet.
    const key = created.get(uid)
    const late = key && jobs.get(key)
    return late && !known.some(({ metadata }) => metadata.uid === late.metadata.uid)
      ? [...known, late]
      : known
  }
  return {
    submit: async (run, { configMaps: maps, job, superseded }, { signal, marked }) => {
      for (const name of superseded) await clearConfigMap(client, run, name, signal)
      // A Job that is there was created after them.
      const isThere = jobs.get(job.metadata) !== undefined
      for (const map of isThere ? [] : maps) await createOnce(configMaps, map, run, signal)
      // Both take one request: the Job is hardly later for it.
      await marked
      const key = formatKey(job.metadata)
      if (!isThere) expected.add(key)
      const { kind, object } = await jobs.createOrObserve(job, run, signal).catch((error) => {
        expected.delete(key)
        throw error
      })
      const { uid } = run.metadata
      if (kind === 'created' && uid !== undefined && !caches.jobs.get(formatKey(object.metadata))) {
        created.set(uid, object.metadata)
      }
      return object
    },
    find: async (key, signal) => {
      const known = jobs.get(key)
      if (known?.metadata.uid === key.uid) return known
      const live = await found(client.get(JobKind, key, { signal }))
      return live?.metadata.uid === key.uid ? live : undefined
    },
    podOf: async (job, signal) => {
      const { uid = '', namespace, name } = job.metadata
      const known = lastOf(caches.pods.byIndex(OWNER_INDEX, uid))
      if (!jobOutcome(job) || hasEnded(known)) return known
      // The Job's end came through before that of its pod.
      const labelSelector = `batch.kubernetes.io/job-name=${name}`
      const { items } = await client.list(PodKind, { namespace, labelSelector, signal })
      return lastOf(items) ?? known
    },
    of,
    arrivals: ownedSource(
      'arrivals',
      caches.jobs,
      { ...agentRun, namespaced: true },
      {
        add: ({ metadata }) => !expected.delete(formatKey(metadata)),
        update: () => false,
        delete: ({ metadata }) => {
          expected.delete(formatKey(metadata))
          return false
        },
      },
    ),
    unfinished: (run) => of(run).filter(isUnfinished),
    strays: ({ metadata: { namespace, name } }) =>
      caches.jobs
        .byIndex(strays, strayOf(namespace, labelValue(name)))
        .filter((job) => isUnfinished(job) && isAttemptOf(name, job)),
    stop: async (job, signal) => {
      if (isBeingDeleted(job)) return
      const { uid } = job.metadata
      await done(
        client.delete(JobKind, job.metadata, {
          propagationPolicy: 'Foreground',
          ...(uid !== undefined && { preconditions: { uid } }),
          signal,
        }),
      )
    },
  }
}

/**
 * What an attempt was told is on record as long as something is left of it: its Job has gone, and its logs with it, before the
 * next one is handed over. Otherwise a run with many retries would fill the cluster with texts that are all the same.
 */
async function clearConfigMap(
  client: KubeClient,
  run: AgentRun,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = run.metadata
  const known = await found(client.get(ConfigMapKind, { namespace, name }, { signal }))
  if (!known || !isControlledBy(known, run)) return
  const { uid = '' } = known.metadata
  const clearing = client.delete(ConfigMapKind, known.metadata, { preconditions: { uid }, signal })
  await done(clearing).catch((error: unknown) => {
    // It goes with the run then; nobody's next attempt should fail for that.
    if (!isForbidden(error)) throw error
  })
}

/** Jobs of attempts that nobody controls, by the run that they name: hardly ever any. */
const strays = 'strays'

function straysIn(job: Job): readonly string[] {
  const { namespace, labels: marks = {} } = job.metadata
  const run = marks[labels.agentRun]
  const isAttempt = run !== undefined && marks[labels.attempt] !== undefined
  return isAttempt && !controllerOf(job) ? [strayOf(namespace, run)] : []
}

/** And no copy that somebody made of one, with all its labels. */
function isAttemptOf(run: string, { metadata }: Job): boolean {
  const { [labels.attempt]: attempt, [labels.stepIndex]: stepIndex } = metadata.labels ?? {}
  const which = {
    attempt: Number(attempt),
    ...(stepIndex !== undefined && { stepIndex: Number(stepIndex) }),
  }
  return metadata.name === jobName(run, which)
}

function strayOf(namespace: string | undefined, run: string): string {
  return `${namespace}/${run}`
}

function isUnfinished(job: Job): boolean {
  return isBeingDeleted(job) || !jobOutcome(job)
}

/** Gone, or another of the same name: either way there is nothing left to do about it. */
async function done(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}

async function found<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
}

function lastOf(pods: readonly Pod[]): Pod | undefined {
  const age = ({ metadata }: Pod): string => `${metadata.creationTimestamp} ${metadata.name}`
  return pods.toSorted((a, b) => (age(a) < age(b) ? -1 : 1)).at(-1)
}

import { isDeepStrictEqual } from 'node:util'
import {
  mappedSource,
  ownedSource,
  type Predicate,
  type ResourceCache,
  type Source,
} from '@agents/controller'
import { controllerOf, type Job, type ObjectKey, type Pod } from '@agents/kube'
import { hasEnded, publisherOverdueSince } from './pod-state.ts'
import { type RunKind, runOf } from './run-kind.ts'

/** Requeues a run when one of its Jobs or pods changes in a way that matters to the run. */
export function jobSources(
  caches: { readonly jobs: ResourceCache<Job>; readonly pods: ResourceCache<Pod> },
  kind: RunKind,
): Source[] {
  const runsOf = (object: Job | Pod): ObjectKey[] => {
    const run = runOf(kind, object)
    return run ? [run] : []
  }
  return [
    ownedSource('jobs', caches.jobs, kind.owner, jobChanges),
    mappedSource(
      'strays',
      caches.jobs,
      (job) => (controllerOf(job) ? [] : runsOf(job)),
      jobChanges,
    ),
    mappedSource('pods', caches.pods, runsOf, podChanges),
  ]
}

/** A Job counts its pods in its status; only its end and its deletion matter. */
const jobChanges: Predicate<Job> = {
  update: (before, after) =>
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !isDeepStrictEqual(endsOf(before), endsOf(after)),
  // `AttemptJobs.arrivals` requeues the run for a Job that has not ended.
  add: (job) => endsOf(job).length > 0,
}

function endsOf({ status }: Job): unknown[] {
  return (status?.conditions ?? [])
    .filter(
      ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
    )
    .map(({ type }) => type)
}

const podChanges: Predicate<Pod> = {
  // After a watch was interrupted, the first version seen of a pod may be a running one.
  add: (pod) => !hasEnded(pod) && !isDeepStrictEqual(startOf(pod), notStarted),
  // The end of a pod is reported by its Job a moment later, together with what it means.
  update: (before, after) =>
    !hasEnded(after) && !isDeepStrictEqual(startOf(before), startOf(after)),
  delete: () => false,
}

const notStarted = ['']

/** How far the pod has come in starting, as a value to compare. */
function startOf(pod: Pod): unknown {
  const { status } = pod
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return [
    scheduled?.status === 'False' ? scheduled.message : '',
    ...states.map(({ state }) => state?.waiting?.reason ?? 'started'),
    ...(publisherOverdueSince(pod) === undefined ? [] : ['publishing']),
  ]
}

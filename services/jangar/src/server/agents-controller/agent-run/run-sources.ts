import { isDeepStrictEqual } from 'node:util'
import {
  mappedSource,
  ownedSource,
  type Predicate,
  type ResourceCache,
  type Source,
} from '@agents/controller'
import { type AgentRun, agentRun } from '@agents/jangar-api'
import {
  type Condition,
  controllerOf,
  type Job,
  type KubeObject,
  type ObjectKey,
  type Pod,
} from '@agents/kube'
import type { AgentsCaches } from '../agents-caches.ts'
import { annotations, labels } from '../labels.ts'
import { isTrue } from './gates/condition-of.ts'
import { runtimeRefOf } from './runtime/runtime-ref.ts'
import { hasEnded } from './task/pod-state.ts'

/** Everything beside the run itself that is a reason to look at it. */
export function runSources(caches: AgentsCaches): Source[] {
  const { agentRuns } = caches
  agentRuns.addIndexers({ [awaiting]: awaitingIn })
  const dependencies = [
    caches.agents,
    caches.agentProviders,
    caches.implementationSpecs,
    caches.versionControlProviders,
    caches.memories,
    caches.secrets,
    caches.configMaps,
  ] as readonly ResourceCache[]
  return [
    ownedSource('jobs', caches.jobs, { ...agentRun, namespaced: true }, courseOfJobs),
    mappedSource(
      'strays',
      caches.jobs,
      (job) => (controllerOf(job) ? [] : runOf(job)),
      courseOfJobs,
    ),
    mappedSource('pods', caches.pods, runOf, courseOfPods),
    ...dependencies.map((cache) =>
      mappedSource(
        cache.kind.plural,
        cache,
        ({ metadata }) => waitingRuns(agentRuns, metadata.namespace),
        dependencyPredicate,
      ),
    ),
  ]
}

/** Runs that something they refer to may still help on, by namespace: few, however many there are in all. */
const awaiting = 'awaiting'

/**
 * Once accepted, a run in the queue asks for what it refers to when its turn comes, and one at work has what it needs. With a
 * place and no work it may be that something has gone since, before another attempt or step.
 */
function awaitingIn(run: AgentRun): readonly string[] {
  const { namespace } = run.metadata
  if (namespace === undefined || isTrue(run, 'Finished')) return []
  const isServed = isTrue(run, 'Accepted') && (!isTrue(run, 'Admitted') || isAtWork(run))
  return isServed ? [] : [namespace]
}

function isAtWork(run: AgentRun): boolean {
  const steps = run.status?.workflow?.steps ?? [runtimeRefOf(run)?.task]
  return steps.some((step) => step?.phase === 'Running')
}

function waitingRuns(runs: ResourceCache<AgentRun>, namespace: string | undefined): ObjectKey[] {
  if (namespace === undefined) return []
  return runs.byIndex(awaiting, namespace).map(({ metadata }) => metadata)
}

/** What runs make themselves, they do not wait for. When the process starts, every run is looked at anyway. */
const dependencyPredicate: Predicate = {
  add: ({ metadata }) => metadata.labels?.[labels.agentRun] === undefined,
  update: (before, after) =>
    before.metadata.generation !== after.metadata.generation ||
    !isDeepStrictEqual(keysIn(before), keysIn(after)) ||
    !isDeepStrictEqual(readiness(before), readiness(after)),
  delete: ({ metadata }) => metadata.labels?.[labels.agentRun] === undefined,
}

/**
 * Of a Secret or ConfigMap, which have no generation: only a key can have been missed, whatever its value is. Some are written every
 * few seconds, and need not wake everybody who waits for another.
 */
function keysIn(object: KubeObject): unknown {
  const { data, binaryData } = object as { data?: object; binaryData?: object }
  return [data, binaryData].map((part) => Object.keys(part ?? {}).toSorted())
}

/** With its message, which a run that waits for it passes on. */
function readiness({ status }: KubeObject): unknown {
  const { conditions } = (status ?? {}) as { conditions?: readonly Condition[] }
  const ready = conditions?.find(({ type }) => type === 'Ready')
  return [ready?.status, ready?.message]
}

/** A Job counts its pods as they come and go; what matters is how it ends. */
const courseOfJobs: Predicate<Job> = {
  update: (before, after) =>
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !isDeepStrictEqual(endsOf(before), endsOf(after)),
  // That it is there is told by `RunJobs.arrivals`, to those who do not know.
  add: (job) => endsOf(job).length > 0,
}

function endsOf({ status }: Job): unknown[] {
  return (status?.conditions ?? [])
    .filter(
      ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
    )
    .map(({ type }) => type)
}

const courseOfPods: Predicate<Pod> = {
  // A watch that was cut may first show a pod that has long begun.
  add: (pod) => !hasEnded(pod) && !isDeepStrictEqual(beginning(pod), nothingYet),
  // That a pod has ended is told by its Job, a moment later and with what it means.
  update: (before, after) =>
    !hasEnded(after) && !isDeepStrictEqual(beginning(before), beginning(after)),
  // Its Job tells what follows from that.
  delete: () => false,
}

const nothingYet = ['']

function beginning({ status }: Pod): unknown {
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return [
    scheduled?.status === 'False' ? scheduled.message : '',
    ...states.map(({ state }) => state?.waiting?.reason ?? 'begun'),
  ]
}

function runOf({ metadata }: Job | Pod): ObjectKey[] {
  const { namespace, annotations: said, labels: marks } = metadata
  const name = said?.[annotations.agentRun] ?? marks?.[labels.agentRun]
  return name === undefined ? [] : [{ namespace, name }]
}

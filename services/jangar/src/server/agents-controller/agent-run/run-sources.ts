import { isDeepStrictEqual } from 'node:util'
import { mappedSource, type Predicate, type ResourceCache, type Source } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { Condition, KubeObject, ObjectKey } from '@agents/kube'
import type { AgentsCaches } from '../../caches/agents-caches.ts'
import type { CoreCaches } from '../../caches/core-caches.ts'
import { jobSources } from '../../jobs/job-sources.ts'
import { runtimeRefOf } from '../../jobs/runtime-ref.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import { labels } from '../../kubernetes/labels.ts'
import { agentRunKind } from './agent-run-kind.ts'

/** Changes of other objects that requeue a run. */
export function runSources(caches: AgentsCaches & CoreCaches): Source[] {
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
    ...jobSources(caches, agentRunKind),
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

/** Index, by namespace, of runs that may wait for something they refer to: few, however many runs exist. */
const awaiting = 'awaiting'

/**
 * An accepted run in the queue is resolved again when its turn comes, and a running one needs nothing more. An admitted
 * run that is not running may wait for an object that was deleted before its next attempt or step.
 */
function awaitingIn(run: AgentRun): readonly string[] {
  const { namespace } = run.metadata
  if (namespace === undefined || isTrue(run, 'Finished')) return []
  const needsNothing = isTrue(run, 'Accepted') && (!isTrue(run, 'Admitted') || isRunning(run))
  return needsNothing ? [] : [namespace]
}

function isRunning(run: AgentRun): boolean {
  const steps = run.status?.workflow?.steps ?? [runtimeRefOf(run)?.task]
  return steps.some((step) => step?.phase === 'Running')
}

function waitingRuns(runs: ResourceCache<AgentRun>, namespace: string | undefined): ObjectKey[] {
  if (namespace === undefined) return []
  return runs.byIndex(awaiting, namespace).map(({ metadata }) => metadata)
}

/** Ignores objects that runs own: no run waits for them. */
const dependencyPredicate: Predicate = {
  add: ({ metadata }) => metadata.labels?.[labels.agentRun] === undefined,
  update: (before, after) =>
    before.metadata.generation !== after.metadata.generation ||
    !isDeepStrictEqual(keysIn(before), keysIn(after)) ||
    !isDeepStrictEqual(readiness(before), readiness(after)),
  delete: ({ metadata }) => metadata.labels?.[labels.agentRun] === undefined,
}

/**
 * The keys of a Secret or ConfigMap, which have no generation. Values do not matter: a run waits for a missing key
 * only, and some objects, such as locks, are written every few seconds.
 */
function keysIn(object: KubeObject): unknown {
  const { data, binaryData } = object as { data?: object; binaryData?: object }
  return [data, binaryData].map((part) => Object.keys(part ?? {}).toSorted())
}

/** Includes the message, which is shown in the conditions of a run that waits for the object. */
function readiness({ status }: KubeObject): unknown {
  const { conditions } = (status ?? {}) as { conditions?: readonly Condition[] }
  const ready = conditions?.find(({ type }) => type === 'Ready')
  return [ready?.status, ready?.message]
}

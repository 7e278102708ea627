import { isDeepStrictEqual } from 'node:util'
import { mappedSource, type Predicate, type ResourceCache, type Source } from '@agents/controller'
import type { Condition, KubeObject, ObjectKey } from '@agents/kube'
import { isTrue } from '../kubernetes/condition-of.ts'
import { labels } from '../kubernetes/labels.ts'
import { waitsForApproval } from '../kubernetes/waits-for-approval.ts'

/** Requeues runs that may wait for something they refer to when an object of these kinds changes. */
export function awaitedSources<Run extends KubeObject>(
  runs: ResourceCache<Run>,
  dependencies: readonly ResourceCache[],
  isRunning: (run: Run) => boolean,
): Source[] {
  runs.addIndexers({ [awaiting]: (run) => awaitingIn(run, isRunning) })
  return dependencies.map((cache) =>
    mappedSource(
      cache.kind.plural,
      cache,
      ({ metadata }) => waitingRuns(runs, metadata.namespace),
      dependencyPredicate,
    ),
  )
}

/**
 * Index, by namespace, of runs that may wait for something they refer to. They are few, however many runs exist: in a
 * burst also those whose first status is held, of which there are no more than are near the front of the queue.
 */
const awaiting = 'awaiting'

/**
 * An accepted run in the queue is resolved again when its turn comes, and a running one needs nothing more. An admitted
 * run that is not running may wait for an object that was deleted before its next attempt or step. People must be asked
 * about what would run: a run that waits for their approval is resolved again after each change.
 */
function awaitingIn<Run extends KubeObject>(
  run: Run,
  isRunning: (run: Run) => boolean,
): readonly string[] {
  const { namespace } = run.metadata
  if (namespace === undefined || isTrue(run, 'Finished')) return []
  const isQueued = !isTrue(run, 'Admitted') && !waitsForApproval(run)
  const needsNothing = isTrue(run, 'Accepted') && (isQueued || isRunning(run))
  return needsNothing ? [] : [namespace]
}

function waitingRuns(runs: ResourceCache, namespace: string | undefined): ObjectKey[] {
  if (namespace === undefined) return []
  return runs.byIndex(awaiting, namespace).map(({ metadata }) => metadata)
}

/** Ignores objects that runs own: no run waits for them. */
const dependencyPredicate: Predicate = {
  add: (object) => !isOwnedByRun(object),
  update: (before, after) =>
    before.metadata.generation !== after.metadata.generation ||
    !isDeepStrictEqual(keysIn(before), keysIn(after)) ||
    !isDeepStrictEqual(readiness(before), readiness(after)),
  delete: (object) => !isOwnedByRun(object),
}

function isOwnedByRun({ metadata }: KubeObject): boolean {
  const { [labels.agentRun]: agentRun, [labels.toolRun]: toolRun } = metadata.labels ?? {}
  return agentRun !== undefined || toolRun !== undefined
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

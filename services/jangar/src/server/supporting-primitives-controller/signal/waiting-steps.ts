import type { ResourceCache } from '@agents/controller'
import type { Orchestration, OrchestrationRun, Signal } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import { nameOfSignal } from './name-of-signal.ts'

type Status = NonNullable<Signal['status']>
type Steps = NonNullable<Orchestration['spec']>['steps']
type WaitingStep = NonNullable<Status['waiting']>[number]
/** Undefined: the field is removed. */
type Waiting = { readonly [Name in 'waiting' | 'waitingCount']: Status[Name] | undefined }

const mostShown = 10

/** The steps of a run that wait for a Signal, with its key, as the status of the run shows them. */
function waitsOf({ metadata, status }: OrchestrationRun) {
  if (isFinished(status?.conditions)) return []
  const waiting = (status?.stepStatuses ?? []).filter(
    ({ kind, phase }) => kind === 'SignalWait' && phase === 'Running',
  )
  if (waiting.length === 0) return []
  const { steps = [] } = (status?.orchestration?.spec ?? {}) as { readonly steps?: Steps }
  return waiting.flatMap(({ name, startedAt }) => {
    const step = steps.find((one) => one.name === name)
    const signal = step && nameOfSignal(step)
    if (signal === undefined || startedAt === undefined) return []
    const key = formatKey({ namespace: metadata.namespace, name: signal })
    return [{ key, run: metadata.name, step: name, since: startedAt }]
  })
}

/** The keys of the Signals that a run waits for. */
export function signalsWaitedFor(run: OrchestrationRun): string[] {
  return [...new Set(waitsOf(run).map(({ key }) => key))]
}

/** What the status of a Signal says about who waits. The list is bounded, whoever waits. */
export function waitingSteps({ metadata }: Signal, runs: readonly OrchestrationRun[]): Waiting {
  const own = formatKey(metadata)
  const all = runs.flatMap(waitsOf).filter(({ key }) => key === own)
  if (all.length === 0) return { waiting: undefined, waitingCount: undefined }
  const waiting = all
    .map(({ run, step, since }): WaitingStep => ({ run, step, since }))
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .slice(0, mostShown)
  return { waiting, waitingCount: all.length }
}

function orderOf({ since, run, step }: WaitingStep): string {
  return `${since} ${run} ${step}`
}

/** Calls with the keys of the Signals whose waiting steps have changed. */
export function onWaitingChange(
  runs: ResourceCache<OrchestrationRun>,
  call: (key: string) => void,
) {
  const callAll = (keys: Iterable<string>): void => {
    for (const key of keys) call(key)
  }
  return runs.subscribe({
    onAdd: (run) => callAll(signalsWaitedFor(run)),
    onUpdate: (before, after) => callAll(changedKeys(before, after)),
    onDelete: (run) => callAll(signalsWaitedFor(run)),
  })
}

function changedKeys(before: OrchestrationRun, after: OrchestrationRun): Set<string> {
  const [old, current] = [waitsOf(before), waitsOf(after)].map(
    (waits) => new Map(waits.map(({ key, step, since }) => [`${step} ${since}`, key])),
  )
  const isChanged = (a = new Map<string, string>(), b = a) =>
    [...a].filter(([wait]) => !b.has(wait)).map(([, key]) => key)
  return new Set([...isChanged(old, current), ...isChanged(current, old)])
}

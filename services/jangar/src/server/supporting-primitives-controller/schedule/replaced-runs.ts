import type { Schedule } from '@agents/jangar-api'
import { isNotFound } from '@agents/kube'
import { orRefusal } from './refusal.ts'
import { activeRuns } from './run-history.ts'
import type { RunKinds, ScheduledRun } from './run-kinds.ts'
import { scheduledTime } from './scheduled-run.ts'

/**
 * The active runs that a schedule with the policy Replace has replaced: those of its runs that are older than the last
 * one it has started. Users may trigger others after that, in the same second, too. Before it starts one by its current
 * spec, in effect since `activeSince`, it replaces nothing: the policy may have been another one.
 */
export function replacedRuns(
  schedule: Schedule,
  runs: readonly ScheduledRun[],
  activeSince: string | undefined,
): ScheduledRun[] {
  if (schedule.spec.concurrencyPolicy !== 'Replace') return []
  const last = runs
    .filter((run) => scheduledTime(run) !== undefined)
    .toSorted((a, b) => createdAt(a) - createdAt(b) || timeOf(a) - timeOf(b))
    .at(-1)
  if (last === undefined || !(timeOf(last) > Date.parse(activeSince ?? ''))) return []
  const isOlder = (run: ScheduledRun) =>
    scheduledTime(run) === undefined
      ? createdAt(run) < createdAt(last)
      : run.metadata.uid !== last.metadata.uid
  return activeRuns(schedule, runs).filter(isOlder)
}

/** Cancels runs. Resolves to why the server refuses to cancel one of them. */
export async function cancelReplaced(
  kinds: RunKinds,
  replaced: readonly ScheduledRun[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const refusals: string[] = []
  for (const { kind, metadata, spec } of replaced) {
    const api = kinds.get(kind)?.api
    if (spec.cancel === true || api === undefined) continue
    const cancelled = await orRefusal(cancel(() => api.patch(metadata, cancelPatch, signal)))
    if (cancelled !== undefined) refusals.push(`${kind} ${metadata.name}: ${cancelled}`)
  }
  const [first] = refusals
  return first && `a run that is replaced could not be cancelled: ${first}`
}

const cancelPatch = { spec: { cancel: true } }

async function cancel(patch: () => Promise<unknown>): Promise<undefined> {
  try {
    await patch()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function createdAt({ metadata }: ScheduledRun): number {
  return Date.parse(metadata.creationTimestamp ?? '')
}

function timeOf(run: ScheduledRun): number {
  return Date.parse(scheduledTime(run) ?? '')
}

import type { AgentRun } from '@agents/jangar-api'
import { isForbidden, type KubeClient } from '@agents/kube'
import { isFinished } from '@agents/status'
import { shortDuration } from '../cli/duration.ts'
import { conditionOf } from '../cluster/wait-goal.ts'
import { AgentRunKind } from '../run/run-kind.ts'

/** How long past runs of the same agent took, from start to end. */
export interface UsualDuration {
  /** How many runs it is taken from. */
  readonly runs: number
  readonly leastSeconds: number
  readonly medianSeconds: number
  readonly mostSeconds: number
  /** The median of what is left, of past runs that took longer than this one so far. Unset if there is none. */
  readonly leftSeconds?: number
}

/** Agents change, so that what was long ago says little. */
const mostRuns = 20

/** Reads the past runs of the agent of a run. Undefined if they say nothing, or may not be read. */
export async function findUsualDuration(
  client: KubeClient,
  run: AgentRun,
  now: Date,
  signal: AbortSignal,
): Promise<UsualDuration | undefined> {
  if (isFinished(run.status?.conditions)) return undefined
  const { namespace = '' } = run.metadata
  try {
    return usualDuration(run, (await client.list(AgentRunKind, { namespace, signal })).items, now)
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

/** Estimates from runs of the same agent, with as many steps, that succeeded. Undefined of a run that has ended. */
export function usualDuration(
  run: AgentRun,
  all: readonly AgentRun[],
  now: Date,
): UsualDuration | undefined {
  if (run.status?.finishedAt !== undefined) return undefined
  const took = all
    .filter((one) => one.metadata.uid !== run.metadata.uid && isAlike(one, run))
    .filter((one) => conditionOf(one, 'Succeeded')?.status === 'True')
    .toSorted((a, b) => (b.status?.finishedAt ?? '').localeCompare(a.status?.finishedAt ?? ''))
    .map(secondsOf)
    .filter((seconds) => seconds >= 0)
    .slice(0, mostRuns)
    .toSorted((a, b) => a - b)
  if (took.length === 0) return undefined
  const { startedAt } = run.status ?? {}
  const elapsed = startedAt === undefined ? 0 : (now.getTime() - Date.parse(startedAt)) / 1000
  const left = took.filter((seconds) => seconds > elapsed).map((seconds) => seconds - elapsed)
  return {
    runs: took.length,
    leastSeconds: took[0] ?? 0,
    medianSeconds: medianOf(took),
    mostSeconds: took.at(-1) ?? 0,
    ...(startedAt !== undefined && left.length > 0 && { leftSeconds: medianOf(left) }),
  }
}

function isAlike({ spec }: AgentRun, { spec: other }: AgentRun): boolean {
  const steps = spec.workflow?.steps.length
  return spec.agentRef.name === other.agentRef.name && steps === other.workflow?.steps.length
}

function secondsOf({ status }: AgentRun): number {
  return (Date.parse(status?.finishedAt ?? '') - Date.parse(status?.startedAt ?? '')) / 1000
}

function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2
  const [low = 0, high = 0] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return Math.round((low + high) / 2)
}

export function usualText(usual: UsualDuration, hasStarted: boolean): string {
  const { runs, leastSeconds, medianSeconds, mostSeconds, leftSeconds } = usual
  const text = (seconds: number): string => shortDuration(seconds * 1000)
  const past =
    runs === 1
      ? `The only run of this agent that succeeded took ${text(medianSeconds)}.`
      : `The last ${runs} runs of this agent that succeeded took ${text(medianSeconds)} (median), between ${text(leastSeconds)} and ${text(mostSeconds)}.`
  if (!hasStarted) return `${past}\n`
  const rest =
    leftSeconds === undefined
      ? `This one takes longer than ${runs === 1 ? 'that' : 'all of these'}.`
      : `About ${text(leftSeconds)} are left.`
  return `${past} ${rest}\n`
}

import type { AgentRun } from '@agents/jangar-api'
import { addModels, type ModelUsage, modelCounts } from '../../../../run-contract/model-usage.ts'
import {
  counts,
  formatDollars,
  type Usage as ReportedUsage,
} from '../../../../run-contract/usage.ts'
import type { TaskReport } from '../../../jobs/advance-task.ts'
import type { AttemptResults } from '../../../jobs/attempt-results.ts'
import type { AgentRunStatus, RunDetail } from '../run-detail.ts'

type Usage = NonNullable<AgentRunStatus['usage']>

/** The status fields that show the results of an attempt. Usage and warnings add up; the rest is of the last one. */
export function resultDetail(
  { status }: Pick<AgentRun, 'status'>,
  { exitCode, report, vcs, skills }: AttemptResults,
): Partial<RunDetail> {
  const { usage, summary, outputs, artifacts, warnings } = report ?? {}
  return {
    ...(exitCode !== undefined && { exitCode }),
    ...(summary && { summary }),
    ...(outputs && { outputs: { ...outputs } }),
    ...usageDetail(status, usage),
    ...(artifacts && { artifacts: artifacts.map((one) => ({ ...one })) }),
    ...(vcs && { vcs: vcsDetail(status?.vcs ?? {}, vcs) }),
    ...(skills && { skills: skills.map((one) => ({ ...one })) }),
    ...(warnings && { warnings: addedWarnings(status?.warnings ?? [], warnings) }),
  }
}

/** The usage of an attempt that ended without a report: what it had reported before is all that is known. */
export function lostDetail({ status }: Pick<AgentRun, 'status'>): Partial<RunDetail> {
  return usageDetail(status, undefined)
}

function usageDetail(
  status: AgentRun['status'],
  reported: ReportedUsage | undefined,
): Partial<Pick<RunDetail, 'usage' | 'progress'>> {
  const { job: _, reportedAt: __, ...soFar } = status?.progress ?? {}
  const more = reported ?? (status?.progress && soFar)
  return {
    ...(more && { usage: addedUsage(status?.usage ?? {}, more) }),
    ...(status?.progress && { progress: undefined }),
  }
}

/** Bounded, since any program may write a report. */
const mostWarnings = 10
const longestWarning = 512

/** Those of all attempts and steps, each once. */
function addedWarnings(before: readonly string[], more: readonly string[]): string[] {
  const shown = more.map((warning) =>
    warning.length <= longestWarning
      ? warning
      : `${warning.slice(0, longestWarning - 1)}…`.toWellFormed(),
  )
  return [...new Set([...before, ...shown])].slice(0, mostWarnings)
}

/**
 * Why the last attempt failed, and when the next one starts, if there is one; with the usage of an attempt that left no
 * results.
 */
export function endDetail(
  run: Pick<AgentRun, 'status'>,
  { state, failureClass, cause, results }: TaskReport,
): Partial<RunDetail> {
  const { phase, nextRetryAt } = state
  return {
    ...(cause !== undefined && results === undefined && lostDetail(run)),
    ...(failureClass !== undefined && { failureClass }),
    ...(phase === 'Succeeded' && { failureClass: undefined }),
    nextRetryAt: phase === 'Retrying' ? nextRetryAt : undefined,
  }
}

type VcsStatus = NonNullable<AgentRunStatus['vcs']>

/**
 * A step that pushed nothing leaves what an earlier step pushed. Work that an earlier attempt kept is gone with its
 * pod.
 */
function vcsDetail(
  { bundle: _, ...before }: VcsStatus,
  vcs: NonNullable<AttemptResults['vcs']>,
): VcsStatus {
  if (before.pushed !== true || vcs.pushed) return { ...before, ...reportedVcs(vcs) }
  return { ...before, ...(vcs.bundle !== undefined && { bundle: vcs.bundle }) }
}

function reportedVcs(vcs: NonNullable<AttemptResults['vcs']>) {
  const { repository, baseBranch, headBranch, commit, pushed, bundle, pullRequest } = vcs
  const { filesChanged, insertions, deletions } = vcs
  return {
    repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(headBranch !== undefined && { headBranch }),
    ...(commit !== undefined && { commit }),
    pushed,
    ...(filesChanged !== undefined && { filesChanged }),
    ...(insertions !== undefined && { insertions }),
    ...(deletions !== undefined && { deletions }),
    ...(bundle !== undefined && { bundle }),
    ...(pullRequest && { pullRequest: { ...pullRequest } }),
  }
}

function addedUsage(before: Usage, more: ReportedUsage): Usage {
  const sum: Usage = {}
  for (const name of counts) {
    if (before[name] === undefined && more[name] === undefined) continue
    sum[name] = exactSum(before[name] ?? 0, more[name] ?? 0)
  }
  const amounts = [before.dollars, more.dollars].filter((amount) => amount !== undefined)
  const dollars = formatDollars(amounts.reduce((total, amount) => total + Number(amount), 0))
  const models = addedModels(before.models ?? [], more.models ?? [])
  return {
    ...sum,
    ...(amounts.length > 0 && dollars !== undefined && { dollars }),
    ...(models.length > 0 && { models }),
  }
}

type Models = NonNullable<Usage['models']>
type ReportedModels = readonly ModelUsage[]

function addedModels(before: ReportedModels, more: ReportedModels): Models {
  return addModels(...before.map(exactModel), ...more.map(exactModel)).map((one) => ({ ...one }))
}

/** No program uses more tokens than a number holds exactly. */
function exactModel(model: ModelUsage): ModelUsage {
  const known = modelCounts.filter((name) => model[name] !== undefined)
  const counts = known.map((name) => [name, Math.min(Number(model[name]), 2 ** 49)])
  return { model: model.model, ...Object.fromEntries(counts) }
}

const largest = 2n ** 63n - 1n

/** Counts beyond 2^53 are bigint values, although the types of the API say number. */
function exactSum(a: number | bigint, b: number | bigint): number {
  const sum = BigInt(a) + BigInt(b)
  const bounded = sum > largest ? largest : sum
  return (bounded <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bounded) : bounded) as number
}

import type { AgentRun } from '@agents/jangar-api'
import { formatDollars } from '../../../../runner/usage/usage.ts'
import type { AgentRunStatus, RunDetail } from '../run-detail.ts'
import type { AttemptResults } from '../task/attempt-results.ts'

type Usage = NonNullable<AgentRunStatus['usage']>

/** What an attempt left behind, as the status shows it. Consumption adds up over attempts; the rest is that of the last. */
export function resultDetail(
  { status }: AgentRun,
  { exitCode, report }: AttemptResults,
): Partial<RunDetail> {
  const { usage, artifacts, vcs } = report ?? {}
  return {
    ...(exitCode !== undefined && { exitCode }),
    ...(usage && { usage: addedUsage(status?.usage ?? {}, usage) }),
    ...(artifacts && { artifacts: artifacts.map((one) => ({ ...one })) }),
    ...(vcs && { vcs: { ...status?.vcs, ...reportedVcs(vcs) } }),
  }
}

type ReportedVcs = NonNullable<NonNullable<AttemptResults['report']>['vcs']>

function reportedVcs({ repository, baseBranch, headBranch, pullRequest }: ReportedVcs) {
  return {
    repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(headBranch !== undefined && { headBranch }),
    ...(pullRequest && { pullRequest: { ...pullRequest } }),
  }
}

const counts = ['inputTokens', 'outputTokens', 'totalTokens'] as const

function addedUsage(before: Usage, more: Usage): Usage {
  const sum: Usage = {}
  for (const name of counts) {
    if (before[name] === undefined && more[name] === undefined) continue
    sum[name] = exactSum(before[name] ?? 0, more[name] ?? 0)
  }
  const amounts = [before.dollars, more.dollars].filter((amount) => amount !== undefined)
  const dollars = formatDollars(amounts.reduce((total, amount) => total + Number(amount), 0))
  return { ...sum, ...(amounts.length > 0 && dollars !== undefined && { dollars }) }
}

const largest = 2n ** 63n - 1n

/** Counts beyond 2^53 come and go as bigint, which the types of the API do not tell. */
function exactSum(a: number | bigint, b: number | bigint): number {
  const sum = BigInt(a) + BigInt(b)
  const bounded = sum > largest ? largest : sum
  return (bounded <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bounded) : bounded) as number
}

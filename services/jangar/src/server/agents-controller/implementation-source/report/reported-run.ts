import type { AgentRun, OrchestrationRun } from '@agents/jangar-api'

/** What a report says about a run that a trigger started: names, numbers and known words only. */
export interface ReportedRun {
  readonly namespace: string
  readonly name: string
  /** The agent or the Orchestration. */
  readonly of: string
  readonly phase: string
  readonly pull: { readonly number: number; readonly state: string } | undefined
  /** The last commit of the pull request, if the run pushed it. */
  readonly commit: string | undefined
  readonly totalTokens: number | undefined
  readonly dollars: string | undefined
}

/** A state as people read it. */
const phases: Readonly<Record<string, string>> = {
  Pending: 'queued',
  Running: 'running',
  Retrying: 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Cancelled: 'cancelled',
}

function phaseOf(phase: string | undefined): string {
  return phases[phase ?? 'Pending'] ?? 'queued'
}

export function reportedAgentRun({ metadata, spec, status }: AgentRun): ReportedRun {
  const { pullRequest, commit } = status?.vcs ?? {}
  const { number, state } = pullRequest ?? {}
  const { totalTokens, dollars } = status?.usage ?? {}
  return {
    ...{ namespace: metadata.namespace ?? '', name: metadata.name, of: spec.agentRef.name },
    phase: phaseOf(status?.phase),
    pull: number === undefined ? undefined : { number: Number(number), state: state ?? '' },
    // The commit of others may be one that the work is based on.
    commit: number === undefined ? undefined : commit,
    ...{ totalTokens, dollars },
  }
}

/** With the pull request of its AgentRuns, of which the newest is the first, and with what they used together. */
export function reportedOrchestrationRun(
  { metadata, spec, status }: OrchestrationRun,
  steps: readonly AgentRun[],
): ReportedRun {
  const parts = steps.map(reportedAgentRun)
  const proposal = parts.find(({ pull }) => pull !== undefined)
  const tokens = parts.flatMap(({ totalTokens }) => (totalTokens === undefined ? [] : totalTokens))
  const dollars = parts.flatMap((one) => (one.dollars === undefined ? [] : Number(one.dollars)))
  return {
    ...{ namespace: metadata.namespace ?? '', name: metadata.name },
    of: spec?.orchestrationRef.name ?? '',
    phase: phaseOf(status?.phase),
    ...{ pull: proposal?.pull, commit: proposal?.commit },
    totalTokens: tokens.length === 0 ? undefined : sum(tokens),
    // Each is rounded already.
    dollars: dollars.length === 0 ? undefined : String(Number(sum(dollars).toFixed(6))),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

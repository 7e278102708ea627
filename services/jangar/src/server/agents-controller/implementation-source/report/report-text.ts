import type { AgentRun } from '@agents/jangar-api'

/** The newest runs that a comment lists. */
const mostRuns = 10

/** A state as people read it; only known words, numbers and names of objects get into a comment. */
const phases: Readonly<Record<string, string>> = {
  Pending: 'queued',
  Running: 'running',
  Retrying: 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Cancelled: 'cancelled',
}

export function phaseOf({ status }: AgentRun): string {
  return phases[status?.phase ?? 'Pending'] ?? 'queued'
}

/**
 * The comment about the runs of an issue, newest first. It contains no text of the agent or of its issue: those could
 * mention people, or reveal what the agent has seen.
 */
export function reportText(marker: string, runs: readonly AgentRun[]): string {
  const shown = runs.slice(0, mostRuns)
  const rows = shown.map(
    (run) =>
      `| \`${run.metadata.namespace}/${run.metadata.name}\` | \`${run.spec.agentRef.name}\` | ${phaseOf(run)} | ${pullOf(run)} | ${costOf(run)} |`,
  )
  const more =
    runs.length > shown.length ? [`\nand ${runs.length - shown.length} earlier ones`] : []
  return [
    `<!-- agents:report ${marker} -->`,
    '| run | agent | state | pull request | usage |',
    '|---|---|---|---|---|',
    ...rows,
    ...more,
  ].join('\n')
}

function pullOf({ status }: AgentRun): string {
  const { number, state } = status?.vcs?.pullRequest ?? {}
  return number === undefined || state === undefined ? '' : `#${number} ${state.toLowerCase()}`
}

function costOf({ status }: AgentRun): string {
  const { totalTokens, dollars } = status?.usage ?? {}
  const tokens = totalTokens === undefined ? [] : [`${totalTokens} tokens`]
  return [...tokens, ...(dollars === undefined ? [] : [`$${dollars}`])].join(', ')
}

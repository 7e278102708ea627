import type { ReportedRun } from './reported-run.ts'

/** The newest runs that a comment lists. */
const mostRuns = 10

/**
 * The comment about the runs of an issue, newest first. It contains no text of the agent or of its issue: those could
 * mention people, or reveal what the agent has seen.
 */
export function reportText(marker: string, runs: readonly ReportedRun[]): string {
  const shown = runs.slice(0, mostRuns)
  const rows = shown.map(
    (run) =>
      `| \`${run.namespace}/${run.name}\` | \`${run.of}\` | ${run.phase} | ${pullOf(run)} | ${costOf(run)} |`,
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

function pullOf({ pull }: ReportedRun): string {
  return pull === undefined || pull.state === ''
    ? ''
    : `#${pull.number} ${pull.state.toLowerCase()}`
}

function costOf({ totalTokens, dollars }: ReportedRun): string {
  const tokens = totalTokens === undefined ? [] : [`${totalTokens} tokens`]
  return [...tokens, ...(dollars === undefined ? [] : [`$${dollars}`])].join(', ')
}

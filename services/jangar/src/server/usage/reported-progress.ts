import type { AgentRun } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import { counts, formatDollars, type Usage } from '../../run-contract/usage.ts'

export type Progress = NonNullable<NonNullable<AgentRun['status']>['progress']>

/**
 * The progress after a report, or undefined if it brings nothing new. Reports are totals of an attempt and may arrive
 * late, twice or in another order: of each number the largest counts. Parts of models are those of the report with the
 * largest total, so that their sum is never that of two reports.
 */
export function reportedProgress(
  before: Progress | undefined,
  job: string,
  report: Usage,
  now: Date,
): Progress | undefined {
  const known = before?.job === job ? before : undefined
  const next: Progress = { job, reportedAt: rfc3339(now) }
  let isNews = false
  for (const name of counts) {
    const had = known?.[name]
    const [was, is] = [Number(had ?? -1), report[name] ?? -1]
    if (Math.max(was, is) >= 0) next[name] = Math.max(was, is)
    isNews ||= is > was
  }
  const models = modelsAfter(known, report)
  if (models !== undefined) next.models = models.map((one) => ({ ...one }))
  isNews ||= models !== undefined && known?.models === undefined
  const was = Number(known?.dollars ?? -1)
  const is = Number(report.dollars ?? -1)
  const dollars = formatDollars(Math.max(was, is))
  if (dollars !== undefined) next.dollars = dollars
  return isNews || is > was ? next : undefined
}

function modelsAfter(known: Progress | undefined, report: Usage): Usage['models'] {
  if (known?.models === undefined) return report.models
  if (report.models === undefined) return known.models
  return Number(report.totalTokens ?? 0) >= Number(known.totalTokens ?? 0)
    ? report.models
    : known.models
}

import type { AgentRun, Budget } from '@agents/jangar-api'
import { matchesLabels, requirementsOf } from '@agents/kube'

const resources = ['tokens', 'dollars', 'cpu', 'memory', 'gpu'] as const

/** A row for each resource that a Budget limits. */
export function budgetRows({ metadata, spec, status }: Budget): string[][] {
  const limits = spec?.limits ?? {}
  const limited = resources.filter((resource) => limits[resource] !== undefined)
  const { phase = 'Pending', used, reserved, windowEndsAt = '-' } = status ?? {}
  return (limited.length === 0 ? [undefined] : limited).map((resource) => [
    metadata.name,
    phase,
    resource ?? '-',
    (resource && String(limits[resource])) ?? '-',
    (resource && used?.[resource]) ?? '-',
    (resource === 'tokens' || resource === 'dollars' ? reserved?.[resource] : undefined) ?? '-',
    windowEndsAt,
  ])
}

export const budgetHeader = [
  'NAME',
  'STATE',
  'LIMIT OF',
  'LIMIT',
  'USED',
  'RESERVED',
  'WINDOW ENDS',
]

/** What a run has used in the current window of a Budget. */
interface SpendingRun {
  readonly run: AgentRun
  readonly tokens: number
}

/** The runs that used tokens of a Budget, those that used most first. */
export function spendingRuns(budget: Budget, runs: readonly AgentRun[]): SpendingRun[] {
  const { agentRef, labelSelector } = budget.spec?.scope ?? {}
  const requirements = requirementsOf(labelSelector ?? {})
  const counts = ({ metadata, spec }: AgentRun): boolean => {
    if (spec.policy?.budgetRef?.name === budget.metadata.name) return true
    if (agentRef !== undefined && agentRef.name !== spec.agentRef.name) return false
    return matchesLabels(requirements, metadata.labels)
  }
  const start = Date.parse(budget.status?.windowStartedAt ?? '') || 0
  const isInWindow = ({ status }: AgentRun): boolean =>
    status?.finishedAt === undefined || Date.parse(status.finishedAt) >= start
  return runs
    .filter((run) => counts(run) && isInWindow(run))
    .map((run) => ({ run, tokens: tokensOf(run) }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens)
}

function tokensOf({ status }: AgentRun): number {
  return [status?.usage, status?.progress].reduce((sum, usage) => {
    const parts = Number(usage?.inputTokens ?? 0) + Number(usage?.outputTokens ?? 0)
    return sum + Math.max(Number(usage?.totalTokens ?? 0), parts)
  }, 0)
}

/** Runs with what they used, and what deleted runs used if the Budget knows it. */
export function spendingRows(budget: Budget, spending: readonly SpendingRun[]): string[][] {
  const rows = spending.map(({ run, tokens }) => {
    const { phase = 'Pending', finishedAt, usage, progress } = run.status ?? {}
    const dollars = Number(usage?.dollars ?? 0) + Number(progress?.dollars ?? 0)
    const reported = usage?.dollars ?? progress?.dollars
    const cost = reported === undefined ? '-' : `${Number(dollars.toFixed(6))}`
    return [run.metadata.name, phase, `${tokens}`, cost, finishedAt ?? '-']
  })
  const { tokens: used } = budget.status?.used ?? {}
  const rest = Number(used ?? 0) - spending.reduce((sum, { tokens }) => sum + tokens, 0)
  return rest > 0 ? [...rows, ['(deleted runs)', '-', `${rest}`, '-', '-']] : rows
}

export const spendingHeader = ['RUN', 'PHASE', 'TOKENS', 'REPORTED DOLLARS', 'FINISHED']

import type { RunGateVerdict } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { RunDetail } from '../run-detail.ts'

type Verdict<Reason extends string> = RunGateVerdict<Reason, RunDetail>

/** Completes a verdict that ends the run by what its repository shows. Other verdicts are returned as they are. */
export function withRepositoryOutcome<Reason extends string>(
  run: AgentRun,
  detail: Partial<RunDetail>,
  verdict: Verdict<Reason>,
): Verdict<Reason> {
  const { kind } = verdict
  if (kind !== 'succeeded' && kind !== 'failed' && kind !== 'cancelled') return verdict
  const vcs = verdict.detail?.vcs ?? detail.vcs ?? run.status?.vcs
  if (vcs === undefined || vcs.pushed === true) return verdict
  // Until now the branch was reserved for the run.
  const { headBranch: _, ...rest } = vcs
  const ended = { ...verdict, detail: { ...verdict.detail, vcs: rest } }
  const isUnchanged = vcs.mode === 'read-write' && vcs.pushed === false
  return ended.kind === 'succeeded' && isUnchanged ? { ...ended, reason: 'NoChanges' } : ended
}

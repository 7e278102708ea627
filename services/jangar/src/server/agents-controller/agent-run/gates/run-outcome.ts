import type { RunGateVerdict } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { RunDetail } from '../run-detail.ts'

type Verdict<Reason extends string> = RunGateVerdict<Reason, RunDetail>

/** Whether the platform opens a pull request for what was pushed. */
export type WantsPullRequest = (run: AgentRun, vcs: NonNullable<RunDetail['vcs']>) => boolean

/** Completes a verdict that ends the run by what its repository shows. Other verdicts are returned as they are. */
export function withRepositoryOutcome<Reason extends string>(
  run: AgentRun,
  detail: Partial<RunDetail>,
  verdict: Verdict<Reason>,
  wantsPullRequest: WantsPullRequest = () => false,
): Verdict<Reason> {
  const { kind } = verdict
  if (kind !== 'succeeded' && kind !== 'failed' && kind !== 'cancelled') return verdict
  const vcs = verdict.detail?.vcs ?? detail.vcs ?? run.status?.vcs
  if (vcs === undefined) return verdict
  if (vcs.pushed === true) {
    if (kind !== 'succeeded' || !wantsPullRequest(run, vcs)) return verdict
    // What a program reports about it gives way to what the platform knows.
    const pending = { ...vcs, pullRequest: { state: 'Pending' as const } }
    return { ...verdict, detail: { ...verdict.detail, vcs: pending } }
  }
  // Until now the branch was reserved for the run.
  const { headBranch: _, ...rest } = vcs
  const ended = { ...verdict, detail: { ...verdict.detail, vcs: rest } }
  const isUnchanged = vcs.mode === 'read-write' && vcs.pushed === false
  return ended.kind === 'succeeded' && isUnchanged ? { ...ended, reason: 'NoChanges' } : ended
}

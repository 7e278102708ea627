import { type Forge, isForgeError, type PullRequest } from '@agents/forge'
import type { AgentRun } from '@agents/jangar-api'
import { endOfRun } from '@agents/status'
import { runsIn } from './own-section.ts'

type Vcs = NonNullable<NonNullable<AgentRun['status']>['vcs']>
type AutoMergeStatus = NonNullable<NonNullable<Vcs['pullRequest']>['autoMerge']>

interface Question {
  readonly run: AgentRun
  readonly pull: PullRequest
  readonly forge: Forge
  /** Whether the provider asks for it now. */
  readonly isWanted: boolean
  /** With a token that may merge. */
  readonly merging: () => Promise<Forge>
  readonly signal: AbortSignal
}

/**
 * Asks the service once to merge the pull request of a run when its checks and reviews allow that, and says how it is.
 * It is looked up before it is asked for, so that a crash in between changes nothing. It is asked for only while the
 * pull request has just what the run pushed, so that nobody's later commits are merged by it, and never again after
 * somebody turned it off. Undefined if it is not wanted.
 */
export async function settleAutoMerge(question: Question): Promise<AutoMergeStatus | undefined> {
  const { run, pull, isWanted } = question
  const { autoMerge: wasWanted = false, pullRequest } = run.status?.vcs ?? {}
  const before = pullRequest?.autoMerge
  if (before === undefined && !(isWanted && wasWanted)) return undefined
  if (pull.state !== 'open') return before
  try {
    return await settled(question, before)
  } catch (error) {
    if (!isForgeError(error) || error.problem === 'rate-limited') throw error
    if (before?.state === 'Enabled' || before?.state === 'Disabled') return before
    const { problem, message } = error
    return { state: passing.includes(problem) ? 'Waiting' : 'NotAllowed', message }
  }
}

/** What another attempt may change. */
const passing: readonly string[] = ['conflict', 'unreachable', 'garbled']

async function settled(
  { run, pull, forge, isWanted, merging, signal }: Question,
  before: AutoMergeStatus | undefined,
): Promise<AutoMergeStatus> {
  const { repository = '', commit } = run.status?.vcs ?? {}
  if (!runsIn(pull.body).includes(run.metadata.uid ?? '')) {
    return { state: 'NotAllowed', message: 'the platform has not opened the pull request' }
  }
  const found = await forge.autoMerge(repository, pull, signal)
  if (found.state === 'enabled') return { state: 'Enabled' }
  const { disabledAt } = found
  const isOff = disabledAt !== undefined && disabledAt.getTime() >= (endOfRun(run) ?? 0)
  if (isOff || before?.state === 'Enabled' || before?.state === 'Disabled') {
    return { state: 'Disabled', message: 'it was turned off on the service' }
  }
  if (!isWanted) return { state: 'NotAllowed', message: 'the provider no longer asks for it' }
  if (found.state === 'unsupported') return { state: 'Unsupported', message: found.why }
  if (commit === undefined || pull.commit !== commit) {
    return { state: 'NotAllowed', message: 'the branch has other commits than the run pushed' }
  }
  if (pull.draft) return { state: 'Waiting', message: 'the pull request is a draft' }
  if (found.state !== 'possible') {
    return { state: found.state === 'waiting' ? 'Waiting' : 'NotAllowed', message: found.why }
  }
  await (await merging()).enableAutoMerge(repository, pull, signal)
  return { state: 'Enabled' }
}

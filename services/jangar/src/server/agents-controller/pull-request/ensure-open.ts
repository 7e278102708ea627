import { type Forge, isForgeError, type PullRequest } from '@agents/forge'
import { runsIn, withOwnSection } from './own-section.ts'

/** What is proposed for one run. */
export interface Proposal {
  readonly repository: string
  readonly head: string
  /** If omitted, the default branch of the repository. */
  readonly base: string | undefined
  readonly uid: string
  readonly title: string
  readonly body: string
  readonly draft: boolean
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
}

interface Opened {
  readonly pull: PullRequest
  /** What the pull request lacks. */
  readonly lacks: readonly string[]
}

/**
 * Opens the pull request, or finds the one that exists for the branch. Never opens a second one: it is looked up first,
 * by the branch and by the UID of the run in its text, and the service refuses two open ones for the same branches.
 */
export async function ensureOpen(
  forge: Forge,
  proposal: Proposal,
  signal: AbortSignal,
): Promise<Opened> {
  const { repository, base = (await forge.repository(repository, signal)).defaultBranch } = proposal
  const pull =
    (await existing(forge, proposal, base, signal)) ?? (await open(forge, proposal, base, signal))
  if (pull.state !== 'open') return { pull, lacks: [] }
  return { pull, lacks: await complete(forge, proposal, pull, signal) }
}

async function existing(
  forge: Forge,
  proposal: Proposal,
  base: string,
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  const { repository, head, uid, body: text } = proposal
  const listed = await forge.pullRequestsFrom({ repository, head }, signal)
  const found =
    listed.find((one) => one.state === 'open' && one.base === base) ??
    listed.find((one) => runsIn(one.body).includes(uid))
  if (found === undefined || found.state !== 'open') return found
  // One that a person opened has no part of ours, and is left as it is.
  if (runsIn(found.body).length === 0) return found
  const body = withOwnSection(found.body, { uid, text })
  if (body === found.body) return found
  return forge.editPullRequest(repository, found.number, { body }, signal)
}

async function open(
  forge: Forge,
  proposal: Proposal,
  base: string,
  signal: AbortSignal,
): Promise<PullRequest> {
  const { repository, head, uid, title, body: text, draft } = proposal
  const body = withOwnSection('', { uid, text })
  try {
    return await forge.openPullRequest({ repository, head, base, title, body, draft }, signal)
  } catch (error) {
    if (!isForgeError(error, 'conflict')) throw error
    // Opened since we looked, perhaps by ourselves before a crash.
    const found = await existing(forge, proposal, base, signal)
    if (found === undefined) throw error
    return found
  }
}

/** Adding what is there already changes nothing, so that this may be repeated. */
async function complete(
  forge: Forge,
  { repository, labels, reviewers }: Proposal,
  { number }: PullRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const lacks: string[] = []
  const attempt = async (what: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act()
    } catch (error) {
      if (!isForgeError(error, 'invalid', 'forbidden', 'missing', 'conflict')) throw error
      lacks.push(`the pull request has not all ${what}: ${error.message}`)
    }
  }
  if (labels.length > 0) {
    await attempt('labels', () => forge.addLabels(repository, number, labels, signal))
  }
  if (reviewers.length > 0) {
    await attempt('reviewers', () => forge.requestReviews(repository, number, reviewers, signal))
  }
  return lacks
}

import { type BranchPolicy, branchProblem } from '../../run-contract/repository/branch-policy.ts'
import type { CheckoutRecord } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { branchRef, checkBranchNames } from '../vcs/branch-names.ts'
import type { Git } from '../vcs/git.ts'

interface PushOptions {
  readonly git: Git
  readonly checkout: CheckoutRecord
  readonly policy: BranchPolicy
  /** `defaults.baseBranch` of the VersionControlProvider. */
  readonly providerBase: string | undefined
  readonly commit: string
}

/** Pushes the commit, never by force, and asks the remote whether it has it. Returns the branch. */
export async function pushWork(options: PushOptions): Promise<string> {
  const { head } = options.checkout
  if (head === undefined)
    throw new RunFailure('PublishRefused', 'the run has read-only access to the repository')
  const branch = await push(options, head.name, head.alternative)
  await verify(options, branch)
  return branch
}

/** Pushes to the alternative branch, if one is given, when another writer has pushed to the branch. */
async function push(
  options: PushOptions,
  branch: string,
  alternative: string | undefined,
  isAlternative = false,
): Promise<string> {
  const { git, checkout, policy, providerBase, commit } = options
  await checkBranchNames(git, [branch])
  const { defaultBranch, baseBranch: runBase } = checkout
  const denied = branchProblem(branch, policy, { providerBase, defaultBranch, runBase })
  if (denied !== undefined) throw new RunFailure('PublishRefused', denied)
  const { url } = checkout
  // A pattern, since Git takes also a full name on the right for an abbreviation: of `refs/heads/refs/heads/…`, too.
  const folder = isAlternative ? 'refs/agents/alternative/' : 'refs/agents/pushed/'
  const stored = await git.run(['update-ref', `${folder}${branch}`, commit])
  if (stored.code !== 0) throw new RunFailure('PushFailed', `cannot push: ${stored.errorText}`)
  const refspec = `${folder}*:refs/heads/*`
  const result = await git.talk(url, ['push', '--porcelain', '--no-verify', '--', url, refspec])
  if (result.code === 0) return branch
  const refusal = /^!\t[^\t]*\t\[(remote )?rejected\](?: \((.*)\))?$/m.exec(result.stdout)
  if (refusal === null) {
    throw new RunFailure('PushFailed', `cannot push ${branch} to ${url}: ${result.errorText}`)
  }
  const isBehind = refusal[1] === undefined
  if (isBehind && alternative !== undefined) return push(options, alternative, undefined, true)
  const why = whyRefused(refusal[2], result.errorText)
  const reason = isBehind || isRace(why) ? 'PushConflict' : 'PushRejected'
  throw new RunFailure(reason, `${url} rejected the push to ${branch}: ${why}`)
}

/** "unpacker error" alone says nothing: what happened is in the messages of the remote. */
function whyRefused(summary: string | undefined, errorText: string): string {
  if (summary !== 'unpacker error') return summary ?? errorText
  const said = errorText
    .split('\n')
    .map((line) => /^(?:remote:|error: remote unpack failed:)\s*(.+)$/.exec(line)?.[1]?.trim())
    .filter((line) => line !== undefined)
  const details = said.length === 0 ? '' : `: ${said.join('; ')}`
  return `the repository could not store the commits (unpacker error)${details}; check its disk, its limits and that it is writable`
}

/** Whether the branch moved, or was being moved, after the remote had reported where it is. */
function isRace(why: string): boolean {
  return races.some((pattern) => pattern.test(why))
}

const races = [
  /but expected/,
  /Unable to create .*\.lock/,
  /failed to (update|lock) ref/,
  /reference already exists/,
  /incorrect old value provided/,
  /non-fast-forward/,
]

const foundRef = 'refs/agents/found'

/** A remote that has more commits on the branch by now has ours, too. */
async function verify({ git, checkout, commit }: PushOptions, branch: string): Promise<void> {
  const { url } = checkout
  const ref = branchRef(branch)
  const listed = await git.talk(url, ['ls-remote', '--', url, ref])
  const there = listed.stdout
    .split('\n')
    .find((line) => line.endsWith(`\t${ref}`))
    ?.split('\t')[0]
  if (listed.code === 0 && there === commit) return
  if (listed.code === 0 && there !== undefined) {
    const refspec = `+${ref}:${foundRef}`
    const fetched = await git.talk(url, ['fetch', '--quiet', '--no-tags', '--', url, refspec])
    if (fetched.code === 0) {
      const isThere = await git.run(['merge-base', '--is-ancestor', commit, foundRef])
      if (isThere.code === 0) return
    }
  }
  throw new RunFailure('PushFailed', `${url} does not have ${commit} on ${branch} after the push`)
}

import type { VcsResult } from '../contract/run-result.ts'
import { RunFailure } from '../run-failure.ts'
import type { Checkout } from './check-out.ts'
import type { Author } from './commit-words.ts'
import type { Git } from './git.ts'

export interface PublishOptions {
  readonly git: Git
  readonly checkout: Checkout
  readonly author: Author
  readonly message: string
}

/** Commits what is left in the working tree and pushes what is new. Nothing new is nothing wrong. */
export async function publish(options: PublishOptions): Promise<VcsResult> {
  const { git, checkout } = options
  await commit(options)
  const head = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'])
  const at = head.stdout.trim()
  const { headBranch, startCommit } = checkout
  if (headBranch === undefined || head.code !== 0 || at === startCommit) {
    return describeCheckout(checkout)
  }
  const pushedTo = await push(git, checkout.url, headBranch.name, headBranch.alternative)
  return { ...describeCheckout(checkout), headBranch: pushedTo, commit: at, pushed: true }
}

/** What is known of the repository before anything was pushed. */
export function describeCheckout(checkout: Checkout): VcsResult {
  const { repository, baseBranch, headBranch, startCommit } = checkout
  return {
    repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(headBranch !== undefined && { headBranch: headBranch.name }),
    ...(startCommit !== undefined && { commit: startCommit }),
    pushed: false,
  }
}

async function commit({ git, author, message }: PublishOptions): Promise<void> {
  await demand(git, ['add', '--all'])
  const staged = await git.run(['diff', '--cached', '--quiet'])
  if (staged.code === 0) return
  await demand(git, ['commit', '--quiet', '--no-verify', `--message=${message}`], {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  })
}

async function demand(
  git: Git,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await git.run(args, env)
  if (answer.code === 0) return
  throw new RunFailure('CommitFailed', `git ${args[0]} failed: ${answer.said}`)
}

/** Never by force. Somebody else's new commits lead to the alternative branch, where there is one. */
async function push(
  git: Git,
  url: string,
  branch: string,
  alternative: string | undefined,
): Promise<string> {
  const refspec = `HEAD:refs/heads/${branch}`
  const answer = await git.talk(url, ['push', '--porcelain', '--no-verify', '--', url, refspec])
  if (answer.code === 0) return branch
  const refusal = /^!\t[^\t]*\t\[(remote )?rejected\](?: \((.*)\))?$/m.exec(answer.stdout)
  if (refusal === null) {
    throw new RunFailure('PushFailed', `cannot push ${branch} to ${url}: ${answer.said}`)
  }
  const isBehind = refusal[1] === undefined
  if (isBehind && alternative !== undefined) return push(git, url, alternative, undefined)
  const why = refusal[2] ?? answer.said
  throw new RunFailure('PushRejected', `${url} refuses ${branch}: ${why}`)
}

import type { CheckoutRecord, RepositoryPlan } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { branchRef, checkBranchNames, commitId } from './branch-names.ts'
import type { Git } from './git.ts'
import { listRemoteRefs, type RemoteRefs } from './remote-refs.ts'

type Head = NonNullable<RepositoryPlan['head']>

/** Refs of the fetched repository under which the agent's container finds where to start. */
export const startRef = 'refs/agents/start'
const baseRef = 'refs/agents/base'

/** Fetches base and head, no more, into the bare repository that `git` is bound to. */
export async function fetchRepository(
  git: Git,
  url: string,
  { vcs, head }: RepositoryPlan,
): Promise<CheckoutRecord> {
  const wanted = vcs.baseBranch || vcs.defaults?.baseBranch || undefined
  const candidates = [head?.name, head?.alternative].filter((name) => name !== undefined)
  await checkBranchNames(git, [...candidates, ...(wanted === undefined ? [] : [wanted])])
  const remote = await listRemoteRefs(git, url, [
    ...candidates.map(branchRef),
    ...(wanted === undefined ? [] : [branchRef(wanted), `refs/tags/${wanted}`]),
  ])
  const base = findBase(remote, wanted, url)
  const chosen = head && chooseHead(head, remote)
  const isThere = chosen !== undefined && remote.refs.has(branchRef(chosen.name))
  const start = isThere ? branchRef(chosen.name) : base
  const commits = start === undefined ? {} : await fetch(git, url, start, base)
  const baseBranch = wanted ?? remote.defaultBranch
  const { defaultBranch } = remote
  return {
    url,
    repository: vcs.repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(defaultBranch !== undefined && { defaultBranch }),
    ...(chosen !== undefined && {
      head: {
        name: chosen.name,
        ...(chosen.alternative !== undefined && { alternative: chosen.alternative }),
      },
    }),
    ...commits,
  }
}

/** What to fetch as the base; nothing when the repository is empty. */
function findBase(remote: RemoteRefs, wanted: string | undefined, url: string): string | undefined {
  if (wanted === undefined) return remote.refs.has('HEAD') ? 'HEAD' : undefined
  const found = [branchRef(wanted), `refs/tags/${wanted}`].find((name) => remote.refs.has(name))
  if (found !== undefined) return found
  if (commitId.test(wanted)) return wanted
  if (remote.refs.size === 0) return undefined
  throw new RunFailure('CheckoutFailed', `${url} has no branch, tag or commit named ${wanted}`)
}

/** An existing branch that was not chosen for this run belongs to another writer. */
function chooseHead(head: Head, remote: RemoteRefs): Head {
  const isTaken = !head.isChosen && remote.refs.has(branchRef(head.name))
  return isTaken && head.alternative !== undefined
    ? { name: head.alternative, isChosen: head.isChosen }
    : head
}

/** The base is fetched beside the start, so that the agent can compare. */
async function fetch(
  git: Git,
  url: string,
  start: string,
  base: string | undefined,
): Promise<{ startCommit: string; baseCommit?: string }> {
  const wanted = [start, ...(base === undefined || base === start ? [] : [base])]
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--force', '--no-auto-gc']
  const result = await git.talk(url, ['fetch', ...options, '--', url, ...wanted.map(tracking)])
  if (result.code !== 0) {
    throw new RunFailure('CheckoutFailed', `cannot fetch ${start} from ${url}: ${result.errorText}`)
  }
  const startCommit = await commitOf(git, url, start, 'FETCH_HEAD')
  await setRef(git, startRef, startCommit)
  if (base === undefined) return { startCommit }
  const baseCommit = base === start ? startCommit : await commitOf(git, url, base, localName(base))
  if (baseCommit === undefined) return { startCommit }
  await setRef(git, baseRef, baseCommit)
  return { startCommit, baseCommit }
}

async function commitOf(git: Git, url: string, what: string, name: string): Promise<string> {
  const commit = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  if (commit.code === 0) return commit.stdout.trim()
  throw new RunFailure('CheckoutFailed', `${what} in ${url} is not a commit`)
}

async function setRef(git: Git, ref: string, commit: string): Promise<void> {
  const result = await git.run(['update-ref', ref, commit])
  if (result.code === 0) return
  throw new RunFailure('CheckoutFailed', `git cannot record ${ref}: ${result.errorText}`)
}

/** Every fetched ref gets a name, so that the agent's container can fetch it from here. */
function localName(ref: string): string {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  return branch === undefined ? `refs/agents/fetched/${ref}` : `refs/remotes/origin/${branch}`
}

function tracking(ref: string): string {
  return `+${ref}:${localName(ref)}`
}

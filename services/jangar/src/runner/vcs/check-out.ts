import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VcsContext } from '../contract/vcs-context.ts'
import { RunFailure } from '../run-failure.ts'
import type { Git } from './git.ts'
import type { HeadBranch } from './head-branch.ts'
import { listRemoteRefs, type RemoteRefs } from './remote-refs.ts'

/** A working tree, ready for the agent. */
export interface Checkout {
  readonly folder: string
  readonly url: string
  readonly repository: string
  readonly baseBranch?: string
  readonly headBranch?: HeadBranch
  /** Where the work starts; nothing in an empty repository. */
  readonly startCommit?: string
}

export interface CheckOutOptions {
  readonly git: Git
  readonly folder: string
  readonly url: string
  readonly vcs: VcsContext
  /** Left out, the base is looked at and nothing is written. */
  readonly head?: HeadBranch
}

/** Fetches base and head, no more, and puts the right one in place. A repository that is there already is used again. */
export async function checkOut(options: CheckOutOptions): Promise<Checkout> {
  const { git, folder, url, vcs, head } = options
  const wanted = vcs.baseBranch || vcs.defaults?.baseBranch || undefined
  await mkdir(folder, { recursive: true })
  const candidates = [head?.name, head?.alternative].filter((name) => name !== undefined)
  await checkNames(git, [...candidates, ...(wanted === undefined ? [] : [wanted])])
  const remote = await listRemoteRefs(git, url, [
    ...candidates.map(branchRef),
    ...(wanted === undefined ? [] : [branchRef(wanted), `refs/tags/${wanted}`]),
  ])
  const base = findBase(remote, wanted, url)
  const chosen = head && chooseHead(head, remote)
  const headRef =
    chosen && remote.refs.has(branchRef(chosen.name)) ? branchRef(chosen.name) : undefined
  await prepare(git, folder, url)
  const start = headRef ?? base
  const startCommit = start === undefined ? undefined : await fetch(git, url, start, base)
  await switchTo(git, chosen?.name ?? wanted ?? remote.defaultBranch ?? 'main', startCommit)
  const baseBranch = wanted ?? remote.defaultBranch
  return {
    folder,
    url,
    repository: vcs.repository,
    ...(baseBranch !== undefined && { baseBranch }),
    ...(chosen !== undefined && { headBranch: chosen }),
    ...(startCommit !== undefined && { startCommit }),
  }
}

const branchRef = (name: string) => `refs/heads/${name}`

async function checkNames(git: Git, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const answer = await git.run(['check-ref-format', branchRef(name)])
    if (answer.code === 0 && !name.startsWith('-')) continue
    throw new RunFailure('InvalidBranch', `git allows no branch called ${JSON.stringify(name)}`)
  }
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** What to fetch as the base; nothing when the repository is empty. */
function findBase(remote: RemoteRefs, wanted: string | undefined, url: string): string | undefined {
  if (wanted === undefined) return remote.refs.has('HEAD') ? 'HEAD' : undefined
  const found = [branchRef(wanted), `refs/tags/${wanted}`].find((name) => remote.refs.has(name))
  if (found !== undefined) return found
  if (COMMIT.test(wanted)) return wanted
  if (remote.refs.size === 0) return undefined
  throw new RunFailure('CheckoutFailed', `${url} has no branch, tag or commit ${wanted}`)
}

/** A branch that nobody chose for this run, and that is there already, is somebody else's. */
function chooseHead(head: HeadBranch, remote: RemoteRefs): HeadBranch {
  const isTaken = !head.isChosen && remote.refs.has(branchRef(head.name))
  return isTaken && head.alternative !== undefined
    ? { name: head.alternative, isChosen: head.isChosen }
    : head
}

async function prepare(git: Git, folder: string, url: string): Promise<void> {
  const isThere = await stat(join(folder, '.git')).catch(() => undefined)
  if (isThere === undefined) {
    await demand(git, ['init', '--quiet', '--initial-branch=main'], 'prepare the repository')
  }
  const known = await git.run(['config', 'remote.origin.url'])
  const verb = known.code === 0 ? 'set-url' : 'add'
  await demand(git, ['remote', verb, 'origin', url], 'prepare the repository')
}

/** Returns the commit to start from. The base is fetched beside it, so that the agent can compare. */
async function fetch(
  git: Git,
  url: string,
  start: string,
  base: string | undefined,
): Promise<string> {
  const refspecs = [start, ...(base === undefined || base === start ? [] : [base])].map(tracking)
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--force']
  const answer = await git.talk(url, ['fetch', ...options, '--', url, ...refspecs])
  if (answer.code !== 0) {
    throw new RunFailure('CheckoutFailed', `cannot fetch ${start} of ${url}: ${answer.said}`)
  }
  const commit = await git.run(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])
  if (commit.code === 0) return commit.stdout.trim()
  throw new RunFailure('CheckoutFailed', `${start} of ${url} is not a commit`)
}

function tracking(ref: string): string {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  return branch === undefined ? ref : `+${ref}:refs/remotes/origin/${branch}`
}

async function switchTo(git: Git, branch: string, commit: string | undefined): Promise<void> {
  if (commit === undefined) {
    await demand(git, ['symbolic-ref', 'HEAD', branchRef(branch)], 'begin the branch')
    return
  }
  const name = COMMIT.test(branch) ? ['--detach'] : ['-B', branch]
  await demand(git, ['checkout', '--quiet', '--force', ...name, commit, '--'], 'check it out')
  // What an earlier attempt left behind would end up in this one's commit.
  await demand(git, ['clean', '--quiet', '-ffd'], 'clean up')
}

async function demand(git: Git, args: readonly string[], what: string): Promise<void> {
  const answer = await git.run(args)
  if (answer.code === 0) return
  throw new RunFailure('CheckoutFailed', `git cannot ${what}: ${answer.said}`)
}

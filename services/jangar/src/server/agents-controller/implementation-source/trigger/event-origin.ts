import type { User } from '@agents/forge'
import type { AgentRun, ImplementationSource } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import type { FailedCheck } from '../../../inbox/delivery/read-check.ts'
import { isSameForge } from '../../version-control-provider/same-forge.ts'
import { agentRunsOf, createdAt, isActive, originOf, type RunCaches } from './started-runs.ts'
import type { TriggerEvent } from './trigger-event.ts'
import { actorOf } from './triggered-run.ts'

type BranchCaches = Pick<AgentsCaches, 'agentRuns' | 'versionControlProviders'>

type Unclear = { readonly kind: 'refused' | 'later'; readonly why: string }

/**
 * The event of a failed check, if the commit is the last one that a run of the source has pushed to its open pull
 * request. Nobody has caused it: the one who started that run counts as its actor, and must still be allowed to.
 */
export function checkedEvent(
  caches: RunCaches,
  source: ImplementationSource,
  event: TriggerEvent,
  { repository, commit, branches }: FailedCheck,
): TriggerEvent | Unclear {
  const runs = agentRunsOf(caches, source)
    .filter(({ status }) => isSame(status?.vcs?.repository, repository))
    .toSorted((a, b) => createdAt(b) - createdAt(a))
  // A run that has pushed nothing has the commit that its work is based on.
  const run = runs.find(
    ({ status }) => status?.vcs?.commit === commit && status.vcs.pushed !== false,
  )
  const { pullRequest } = run?.status?.vcs ?? {}
  const why = 'the commit is not that of the pull request of a run'
  if (run === undefined) {
    // The run that has pushed it may not have reported it yet. Some services do not name the branches.
    const isItsBranch = (one: AgentRun) =>
      branches.length === 0 || branches.some((branch) => isOnBranch(one, branch))
    const isComing = runs.some((one) => isActive(one) && isItsBranch(one))
    return { kind: isComing ? 'later' : 'refused', why }
  }
  if (pullRequest === undefined ? isActive(run) : pullRequest.state === 'Pending')
    return { kind: 'later', why: 'the pull request is not open yet' }
  if (pullRequest?.state !== 'Open' || pullRequest.number === undefined)
    return { kind: 'refused', why }
  const number = Number(pullRequest.number)
  const last = runs.find(
    ({ status }) => Number(status?.vcs?.pullRequest?.number) === number && status?.vcs?.commit,
  )
  if (last !== run) return { kind: 'refused', why: 'the pull request has a newer commit' }
  const origin = originOf(caches, run)
  const by = origin && actorOf(source, origin)
  if (by === undefined) return { kind: 'refused', why: 'nobody is known to have started the run' }
  return { ...event, ...by, number, externalId: `${repository}#${number}` }
}

/**
 * The run that has, or had, the branch that somebody pushes to: what runs push must never start further ones, whoever
 * their commits seem to be from. Of runs that work on the base branch itself, which is that of people, too, those count
 * that work now, and the commit that they pushed there. Runs of other namespaces do not count: whoever can start one
 * there could name any repository, and so silence the triggers of others.
 */
export function runOnBranch(
  { agentRuns, versionControlProviders }: BranchCaches,
  { metadata: { namespace }, spec }: ImplementationSource,
  repository: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): AgentRun | undefined {
  const providerOf = (name = '') => versionControlProviders.get(formatKey({ namespace, name }))
  const own = providerOf(spec.vcsRef?.name)
  return agentRuns.list(namespace).find((run) => {
    const { vcs } = run.status ?? {}
    if (vcs === undefined || !isSame(vcs.repository, repository)) return false
    const provider = providerOf(vcs.provider)
    if (!own || !provider || !isSameForge(own.spec, provider.spec)) return false
    if (isActive(run) && isOnBranch(run, branch)) return true
    return vcs.headBranch === branch && (branch !== vcs.baseBranch || vcs.commit === commit)
  })
}

/** The runner appends a suffix to a branch that exists, and derives one from the name of the run if none is set. */
function isOnBranch({ metadata, status }: AgentRun, branch: string): boolean {
  const head = status?.vcs?.headBranch ?? `agents/${metadata.name}`
  return branch === head || branch.startsWith(`${head}-`)
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}

export function isSameUser(one: User, other: User): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id
  return isSame(one.name, other.name)
}

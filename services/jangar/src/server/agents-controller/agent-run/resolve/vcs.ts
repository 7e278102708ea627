import type { Agent, AgentRun, VersionControlProvider } from '@agents/jangar-api'
import { firstMatch, isBranchName } from '@agents/patterns'
import { branchProblem } from '../../../../run-contract/repository/branch-policy.ts'
import type { TemplateContext } from '../../../../run-contract/templates/template-roots.ts'
import type { VcsContext } from '../../../../run-contract/vcs-context.ts'
import { findNamed, notReady } from '../../../kubernetes/dependency.ts'
import { githubRepositoryProblem } from '../../../primitives-policy/github-repositories.ts'
import { wantsAutoMerge } from '../../version-control-provider/auto-merge-problem.ts'
import { type Found, found, refused, waiting } from './problem.ts'
import type {
  Implementation,
  Refused,
  ResolutionPorts,
  ResolvedVcs,
  VcsAuth,
} from './resolution.ts'
import { resolveVcsAuth } from './vcs-auth.ts'
import { headBranch } from './vcs-branch.ts'

export interface ChosenVcs {
  readonly vcs?: ResolvedVcs
  readonly note?: string
}

export interface VcsQuestion {
  readonly run: AgentRun
  readonly agent: Agent
  readonly implementation: Implementation
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the program submits its commits to the publisher. A bare command does not. */
  readonly submitsWork: boolean
  /** For branch templates. Does not contain the repository yet. */
  readonly context: TemplateContext
}

type Mode = VcsContext['mode']

/** Resolves the repository of the run, its access mode and its credentials. */
export function resolveVcs(question: VcsQuestion, ports: ResolutionPorts): Found<ChosenVcs> {
  const {
    mode = 'read-write',
    requireChanges = false,
    ...policy
  } = question.run.spec.vcsPolicy ?? {}
  if (requireChanges && mode !== 'read-write') return unchangeable(mode)
  // A run that cannot push cannot change anything.
  const required = requireChanges || (policy.required ?? false)
  if (mode === 'none') return found({})
  /** Version control is skipped with a note unless it is required. */
  const without = (problem: Refused): Found<ChosenVcs> =>
    required ? problem : found({ note: `version control is not used: ${problem.message}` })
  if (!ports.config.agents.vcs.enabled) {
    return without(refused('VcsCapabilityDenied', 'version control is disabled on the platform'))
  }
  const named = namedProvider(question, required, ports)
  if (named === undefined) return found({})
  if (named.kind !== 'found') return named
  const provider = named.value
  const { repository } = question.metadata
  if (repository === undefined) {
    const missing = 'no repository is specified; set the parameter repository to owner/name'
    return without(refused('MissingRepository', missing))
  }
  const { githubRepositoriesAllowed } = ports.config.agents.vcs
  const outside = githubRepositoryProblem(provider.spec, repository, githubRepositoriesAllowed)
  if (outside !== undefined) return refused('VcsPolicyDenied', outside)
  const denied = repositoryProblem(provider, repository)
  if (denied !== undefined) return denied
  const granted = grantedMode(provider, mode)
  if (granted !== mode) {
    const problem = capabilityProblem(provider, mode, granted)
    if (required) return problem
    if (granted === 'none') return without(problem)
  }
  // A local repository needs no credentials, and anyone who can write to it could steal them.
  const auth = isLocal(provider)
    ? found<VcsAuth>({ kind: 'none' })
    : resolveVcsAuth(provider, ports)
  if (auth.kind === 'refused') return without(auth)
  if (auth.kind === 'waiting') return auth
  const isUnsigned = granted === 'read-write' && auth.value.kind === 'none' && !isLocal(provider)
  if (isUnsigned && required) return unsigned(provider)
  const isBare = granted === 'read-write' && !question.submitsWork
  const isReadWrite = question.run.spec.vcsPolicy?.mode === 'read-write' || requireChanges
  if (isBare && required && isReadWrite) return bare()
  const final: Mode = isUnsigned || isBare ? 'read-only' : granted
  const place = { ...question, provider, repository, mode: final, auth: auth.value }
  const chosen = notReady('VersionControlProvider', provider) ?? inRepository(place, ports)
  if (chosen.kind !== 'found' || !isBare) return chosen
  return found({ ...chosen.value, note: `the repository is read-only: ${bare().message}` })
}

function unchangeable(mode: Mode): Refused {
  return refused(
    'VcsCapabilityDenied',
    `vcsPolicy.requireChanges needs write access, but vcsPolicy.mode is ${mode}; set mode to read-write or remove requireChanges`,
  )
}

function bare(): Refused {
  return refused(
    'VcsCapabilityDenied',
    'commits are pushed only for programs that agent-runner starts; run the program of the AgentProvider through agent-runner, or set vcsPolicy.mode to read-only',
  )
}

/**
 * The run takes precedence over the implementation, and that over the agent. Undefined: none is specified or required.
 */
function namedProvider(
  { run, agent, implementation }: VcsQuestion,
  required: boolean,
  { caches }: ResolutionPorts,
): Found<VersionControlProvider> | undefined {
  const { namespace } = run.metadata
  const refs = [
    [run.spec.vcsRef, 'the run'],
    [implementation.vcsRef, 'the work'],
    [agent.spec.vcsRef, `Agent ${agent.metadata.name}`],
  ] as const
  for (const [ref, whose] of refs) {
    if (ref) return findNamed(caches.versionControlProviders, { namespace, name: ref.name }, whose)
  }
  if (!required) return undefined
  return waiting(
    'DependencyMissing',
    `version control is required, but neither the run nor its implementation nor Agent ${agent.metadata.name} refers to a VersionControlProvider; set spec.vcsRef of the Agent`,
  )
}

/** Why the provider does not allow the repository. */
export function repositoryProblem(
  { metadata, spec }: VersionControlProvider,
  repository: string,
): Refused | undefined {
  const { allow = [], deny = [] } = spec.repositoryPolicy ?? {}
  const by = firstMatch(deny.map(lowerCase), lowerCase(repository))
  // Known services ignore case in repository names. In a generic service, Org/name and org/name may have different
  // owners.
  const fold = spec.provider === 'generic' ? (text: string) => text : lowerCase
  const isAllowed =
    allow.length === 0 || firstMatch(allow.map(fold), fold(repository)) !== undefined
  if (by === undefined && isAllowed) return undefined
  const why = by === undefined ? `it allows only ${allow.join(', ')}` : `it denies ${by}`
  return refused(
    'VcsPolicyDenied',
    `VersionControlProvider ${metadata.name} does not allow the repository ${repository}: ${why}`,
  )
}

function lowerCase(text: string): string {
  return text.toLowerCase()
}

function grantedMode({ spec }: VersionControlProvider, mode: Mode): Mode {
  const { read = true, write = true } = spec.capabilities ?? {}
  if (!read) return 'none'
  return mode === 'read-write' && !write ? 'read-only' : mode
}

function capabilityProblem(
  { metadata }: VersionControlProvider,
  mode: Mode,
  granted: Mode,
): Refused {
  return refused(
    'VcsCapabilityDenied',
    `VersionControlProvider ${metadata.name} allows ${granted === 'none' ? 'no access' : granted}, but the run requests ${mode}`,
  )
}

/** Local repositories need no credentials. */
export function isLocal({ spec }: VersionControlProvider): boolean {
  return URL.parse(spec.cloneBaseUrl ?? '')?.protocol === 'file:'
}

function unsigned({ metadata }: VersionControlProvider): Refused {
  return refused(
    'MissingVcsAuth',
    `VersionControlProvider ${metadata.name} has no credentials, but the run needs write access; set its spec.auth`,
  )
}

interface Place extends VcsQuestion {
  readonly provider: VersionControlProvider
  readonly repository: string
  readonly mode: Mode
  readonly auth: VcsAuth
}

function inRepository(place: Place, ports: ResolutionPorts): Found<ChosenVcs> {
  const { provider, repository, mode, auth, metadata } = place
  const { defaults = {} } = provider.spec
  const head = headBranch(place, ports)
  if (head.kind !== 'found') return head
  const baseBranch = metadata.base ?? defaults.baseBranch
  const wrong = branchNameProblem({ head: head.value, base: baseBranch })
  if (wrong !== undefined) return wrong
  const denied = mode === 'read-write' ? branchRefusal(place, head.value) : undefined
  if (denied !== undefined) return denied
  const branches = {
    ...(baseBranch !== undefined && { baseBranch }),
    ...(head.value !== undefined && { headBranch: head.value }),
  }
  const context = { ...contextOf(provider, repository, mode, auth), ...branches }
  const { branchPolicy, pushPolicy } = provider.spec
  const status = {
    ...{ provider: provider.metadata.name, repository, ...branches, mode },
    ...(wantsAutoMerge(provider) && { autoMerge: true }),
  }
  const requireChanges = place.run.spec.vcsPolicy?.requireChanges === true
  const policy = {
    ...(branchPolicy && { branchPolicy }),
    ...(pushPolicy && { pushPolicy }),
    ...(requireChanges && { requireChanges }),
  }
  return found({ vcs: { context, auth, status, ...policy } })
}

/**
 * Admission refuses such names of a run; templates and contracts can still fill them in. Policies judge the name of a
 * branch, and `refs/heads/main` is the name of another branch than the one that Git would take it for.
 */
function branchNameProblem(names: Readonly<Record<string, string | undefined>>) {
  for (const [which, name] of Object.entries(names)) {
    if (name === undefined || name === '' || isBranchName(name)) continue
    const message = `the ${which} ${JSON.stringify(name)} is not the name of a branch; use a name such as main, without refs/heads/`
    return refused('VcsPolicyDenied', message)
  }
  return undefined
}

function branchRefusal(
  { provider, run, metadata }: Place,
  headBranch: string | undefined,
): Refused | undefined {
  const branch = headBranch ?? `agents/${run.metadata.name}`
  const facts = { providerBase: provider.spec.defaults?.baseBranch, runBase: metadata.base }
  const problem = branchProblem(branch, provider.spec.branchPolicy ?? {}, facts)
  if (problem === undefined) return undefined
  return refused(
    'VcsPolicyDenied',
    `VersionControlProvider ${provider.metadata.name} does not allow runs to push to ${branch}: ${problem}`,
  )
}

export function contextOf(
  { metadata, spec }: VersionControlProvider,
  repository: string,
  mode: Mode,
  auth: VcsAuth,
): VcsContext {
  const { provider, apiBaseUrl, cloneBaseUrl, webBaseUrl, sshHost, sshUser, defaults } = spec
  const writeEnabled = mode === 'read-write'
  const mayPropose =
    spec.capabilities?.pullRequests !== false && defaults?.pullRequest?.enabled !== false
  // SSH keys do not work over HTTPS, nor tokens over SSH.
  const cloneProtocol = spec.cloneProtocol ?? (auth.kind === 'ssh' ? 'ssh' : 'https')
  return {
    provider,
    providerName: metadata.name,
    repository,
    mode,
    writeEnabled,
    pullRequestsEnabled: writeEnabled && mayPropose,
    ...(apiBaseUrl !== undefined && { apiBaseUrl }),
    ...(cloneBaseUrl !== undefined && { cloneBaseUrl }),
    ...(webBaseUrl !== undefined && { webBaseUrl }),
    cloneProtocol,
    ...(sshHost !== undefined && { sshHost }),
    ...(sshUser !== undefined && { sshUser }),
    ...(defaults && { defaults }),
  }
}

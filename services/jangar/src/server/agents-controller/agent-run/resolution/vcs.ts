import type { Agent, AgentRun, VersionControlProvider } from '@agents/jangar-api'
import type { VcsContext } from '../../../../runner/contract/vcs-context.ts'
import type { TemplateContext } from '../../../../templates/template-roots.ts'
import { findNamed, notReady } from './dependency.ts'
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
import { firstMatch } from './wildcard.ts'

export interface ChosenVcs {
  readonly vcs?: ResolvedVcs
  readonly note?: string
}

export interface VcsQuestion {
  readonly run: AgentRun
  readonly agent: Agent
  readonly implementation: Implementation
  readonly metadata: Readonly<Record<string, string>>
  /** For templates of branches; knows of no repository yet. */
  readonly context: TemplateContext
}

type Mode = VcsContext['mode']

/** The repository that the run works in, how far it may go there, and how it signs in. */
export function resolveVcs(question: VcsQuestion, ports: ResolutionPorts): Found<ChosenVcs> {
  const { required = false, mode = 'read-write' } = question.run.spec.vcsPolicy ?? {}
  if (mode === 'none') return found({})
  /** What the run can do without, it does without. */
  const without = (problem: Refused): Found<ChosenVcs> =>
    required ? problem : found({ note: `without version control: ${problem.message}` })
  if (!ports.config.agents.vcs.enabled) {
    return without(refused('VcsCapabilityDenied', 'the platform has version control switched off'))
  }
  const named = namedProvider(question, required, ports)
  if (named === undefined) return found({})
  if (named.kind !== 'found') return named
  const provider = named.value
  const { repository } = question.metadata
  if (repository === undefined) {
    const missing = 'no repository is given; name it as owner/name in the parameter repository'
    return without(refused('MissingRepository', missing))
  }
  const denied = repositoryProblem(provider, repository)
  if (denied !== undefined) return denied
  const granted = grantedMode(provider, mode)
  if (granted !== mode) {
    const problem = capabilityProblem(provider, mode, granted)
    if (required) return problem
    if (granted === 'none') return without(problem)
  }
  const auth = resolveVcsAuth(provider, question.agent, ports)
  if (auth.kind === 'refused') return without(auth)
  if (auth.kind === 'waiting') return auth
  const isUnsigned = granted === 'read-write' && auth.value.kind === 'none' && !isLocal(provider)
  if (isUnsigned && required) return unsigned(provider)
  const final: Mode = isUnsigned ? 'read-only' : granted
  return (
    notReady('VersionControlProvider', provider) ??
    inRepository({ ...question, provider, repository, mode: final, auth: auth.value }, ports)
  )
}

/** The run's word goes before the work's, and that before the agent's. Undefined: none is named, nor required. */
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
    `version control is required, and neither the run nor its work nor Agent ${agent.metadata.name} names a VersionControlProvider; set spec.vcsRef of the Agent`,
  )
}

function repositoryProblem(
  { metadata, spec }: VersionControlProvider,
  repository: string,
): Refused | undefined {
  const { allow = [], deny = [] } = spec.repositoryPolicy ?? {}
  const by = firstMatch(deny.map(lowerCase), lowerCase(repository))
  // The known services take Org/name and org/name for the same; elsewhere they may be two people's.
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
    `VersionControlProvider ${metadata.name} allows ${granted === 'none' ? 'nothing' : granted}, and the run asks for ${mode}`,
  )
}

/** A repository on the same machine asks nobody to sign in. */
function isLocal({ spec }: VersionControlProvider): boolean {
  return spec.cloneBaseUrl?.startsWith('file:') === true
}

function unsigned({ metadata }: VersionControlProvider): Refused {
  return refused(
    'MissingVcsAuth',
    `VersionControlProvider ${metadata.name} has no way of signing in, and the run is to write; set its spec.auth`,
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
  const branches = {
    ...(baseBranch !== undefined && { baseBranch }),
    ...(head.value !== undefined && { headBranch: head.value }),
  }
  const context = { ...contextOf(provider, repository, mode, auth), ...branches }
  const status = { provider: provider.metadata.name, repository, ...branches, mode }
  return found({ vcs: { context, auth, status } })
}

function contextOf(
  { metadata, spec }: VersionControlProvider,
  repository: string,
  mode: Mode,
  auth: VcsAuth,
): VcsContext {
  const { provider, apiBaseUrl, cloneBaseUrl, webBaseUrl, sshHost, sshUser, defaults } = spec
  const writeEnabled = mode === 'read-write'
  const mayPropose =
    spec.capabilities?.pullRequests !== false && defaults?.pullRequest?.enabled !== false
  // A key is of no use over https, nor a token over ssh.
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

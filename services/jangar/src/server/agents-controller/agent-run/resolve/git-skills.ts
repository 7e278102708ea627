import type { Agent, AgentProvider, VersionControlProvider } from '@agents/jangar-api'
import { remoteUrl } from '../../../../run-contract/repository/clone-url.ts'
import { RunFailure } from '../../../../run-contract/run-failure.ts'
import type { PlannedSkill, SkillsPlan } from '../../../../run-contract/skills-plan.ts'
import type { VcsContext } from '../../../../run-contract/vcs-context.ts'
import { findNamed, notReady } from '../../../kubernetes/dependency.ts'
import { githubRepositoryProblem } from '../../../primitives-policy/github-repositories.ts'
import { type Found, found, refused } from './problem.ts'
import type { Refused, ResolutionPorts, VcsAuth } from './resolution.ts'
import { usedSkills } from './skills.ts'
import { contextOf, isLocal, repositoryProblem } from './vcs.ts'
import { resolveVcsAuth } from './vcs-auth.ts'

/** The skills to fetch from repositories. All with a VersionControlProvider have the same one. */
export interface GitSkills {
  readonly skills: readonly PlannedSkill[]
  readonly auth: VcsAuth
  readonly service?: SkillsPlan['service']
}

type Git = NonNullable<NonNullable<Agent['spec']['skills']>[number]['git']>

/** Resolves the skills that come from repositories. Undefined if there are none. */
export function resolveGitSkills(
  agent: Agent,
  provider: AgentProvider,
  ports: ResolutionPorts,
): Found<GitSkills | undefined> {
  const given = usedSkills(agent, provider).flatMap(({ name, git }) => (git ? [{ name, git }] : []))
  if (given.length === 0) return found(undefined)
  if (!ports.config.agents.vcs.enabled) {
    return refused(
      'VcsCapabilityDenied',
      `Agent ${agent.metadata.name} has skills in repositories, but version control is disabled on the platform`,
    )
  }
  const service = resolveService(agent, given.find(({ git }) => git.vcsRef)?.git, ports)
  if (service.kind !== 'found') return service
  const skills: PlannedSkill[] = []
  for (const { name, git } of given) {
    const url = git.vcsRef
      ? urlAtService(git, service.value, ports)
      : publicUrl(git, ports.config.agents.vcs.githubRepositoriesAllowed)
    if (url.kind !== 'found') {
      const message = `skill ${name} of Agent ${agent.metadata.name}: ${url.message}`
      return { ...url, message }
    }
    const { ref, path } = git
    const isSigned = git.vcsRef !== undefined
    skills.push({ name, url: url.value, ref, ...(path !== undefined && { path }), isSigned })
  }
  const { auth, context } = service.value ?? { auth: { kind: 'none' } }
  if (context === undefined) return found({ skills, auth })
  const { provider: kind, cloneProtocol } = context
  return found({
    skills,
    auth,
    service: { provider: kind, ...(cloneProtocol !== undefined && { cloneProtocol }) },
  })
}

interface Service {
  readonly provider: VersionControlProvider
  readonly auth: VcsAuth
  readonly context: VcsContext
}

function resolveService(
  { metadata }: Agent,
  git: Git | undefined,
  ports: ResolutionPorts,
): Found<Service | undefined> {
  const { name } = git?.vcsRef ?? {}
  if (name === undefined) return found(undefined)
  const { namespace } = metadata
  const { versionControlProviders } = ports.caches
  const named = findNamed(versionControlProviders, { namespace, name }, `Agent ${metadata.name}`)
  if (named.kind !== 'found') return named
  const provider = named.value
  const unready = notReady('VersionControlProvider', provider)
  if (unready !== undefined) return unready
  if (provider.spec.capabilities?.read === false) {
    return refused(
      'VcsCapabilityDenied',
      `VersionControlProvider ${name} allows no access, but skills of Agent ${metadata.name} refer to it`,
    )
  }
  const auth = isLocal(provider)
    ? found<VcsAuth>({ kind: 'none' })
    : resolveVcsAuth(provider, ports)
  if (auth.kind !== 'found') return auth
  const context = contextOf(provider, 'any', 'read-only', auth.value)
  return found({ provider, auth: auth.value, context })
}

/** The address of a repository of the service, as that of a run is built, so that the same rules apply. */
function urlAtService(
  { url }: Git,
  service: Service | undefined,
  ports: ResolutionPorts,
): Found<string, Refused> {
  const parsed = plainUrl(url)
  if (parsed.kind !== 'found') return parsed
  if (service === undefined) return invalid('its VersionControlProvider is unknown')
  const { provider, context } = service
  const repository = repositoryAt(parsed.value.href, context)
  if (repository === undefined) {
    return invalid(
      `the repository ${url} does not belong to VersionControlProvider ${provider.metadata.name}; change url, or remove vcsRef`,
    )
  }
  const { githubRepositoriesAllowed } = ports.config.agents.vcs
  const outside = githubRepositoryProblem(provider.spec, repository, githubRepositoriesAllowed)
  if (outside !== undefined) return refused('VcsPolicyDenied', outside)
  return repositoryProblem(provider, repository) ?? found(remoteUrl({ ...context, repository }))
}

function repositoryAt(href: string, context: VcsContext): string | undefined {
  const suffix = '.git'
  const given = `${withoutSuffix(href)}${suffix}`
  try {
    const root = remoteUrl(context).slice(0, -`${context.repository}${suffix}`.length)
    if (!given.startsWith(root)) return undefined
    const repository = given.slice(root.length, -suffix.length)
    return remoteUrl({ ...context, repository }) === given ? repository : undefined
  } catch (error) {
    if (error instanceof RunFailure) return undefined
    throw error
  }
}

/** Without a VersionControlProvider, nothing is allowed that needs trust in the network or in this machine. */
function publicUrl(
  { url }: Git,
  githubAllowed: readonly string[] | undefined,
): Found<string, Refused> {
  const parsed = plainUrl(url)
  if (parsed.kind !== 'found') return parsed
  const { protocol, origin, pathname, href } = parsed.value
  if (protocol !== 'https:') {
    return invalid(
      `${protocol}// is only allowed for repositories of a VersionControlProvider; use https, or set vcsRef`,
    )
  }
  const repository = withoutSuffix(pathname.replace(/^\/+/, ''))
  const service = { provider: 'generic', cloneBaseUrl: origin } as const
  const outside = githubRepositoryProblem(service, repository, githubAllowed)
  return outside === undefined ? found(href) : refused('VcsPolicyDenied', outside)
}

/** Not shown if it contains what it must not contain. */
function plainUrl(text: string): Found<URL, Refused> {
  const url = URL.parse(text)
  if (url === null) return invalid('url is not a valid URL')
  if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:')) {
    return invalid('url contains a credential; set vcsRef to a VersionControlProvider instead')
  }
  if (url.search !== '' || url.hash !== '') return invalid('url contains a query or a fragment')
  return found(url)
}

function withoutSuffix(text: string): string {
  return text.replace(/\/+$/, '').replace(/\.git$/, '')
}

function invalid(message: string): Refused {
  return refused('InvalidSkill', message)
}

import type { AgentRun, VersionControlProvider } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { TemplateContext } from '../../../run-contract/templates/template-roots.ts'
import { githubRepositoryProblem } from '../../primitives-policy/github-repositories.ts'
import type { ResolutionPorts } from '../agent-run/resolve/resolution.ts'
import { resolveWork } from '../agent-run/resolve/resolve-work.ts'
import { inputsOf, templateContext } from '../agent-run/resolve/template-context.ts'
import { repositoryProblem } from '../agent-run/resolve/vcs.ts'
import { resolveVcsAuth } from '../agent-run/resolve/vcs-auth.ts'
import { type ForgeAddress, forgeAddress } from '../version-control-provider/forge-address.ts'
import type { Proposal } from './ensure-open.ts'
import { proposalBody, proposalTitle } from './proposal-text.ts'

/** Without claims: the run has its branch. */
export type ProposalPorts = Omit<ResolutionPorts, 'claims'>

export type AddressedProvider =
  | {
      readonly kind: 'found'
      readonly provider: VersionControlProvider
      readonly address: ForgeAddress
    }
  | { readonly kind: 'problem'; readonly message: string }

/**
 * The provider of the run and the address of its service. All policies are checked again: the provider may have been
 * edited since the run was accepted.
 */
export function addressedProvider(run: AgentRun, ports: ProposalPorts): AddressedProvider {
  const { provider: name = '', repository = '' } = run.status?.vcs ?? {}
  const { namespace } = run.metadata
  const provider = ports.caches.versionControlProviders.get(formatKey({ namespace, name }))
  const whose = `VersionControlProvider ${name}`
  if (provider === undefined) return problem(`${whose} does not exist`)
  const { spec } = provider
  if (spec.capabilities?.pullRequests === false) return problem(`${whose} allows no pull requests`)
  if (spec.defaults?.pullRequest?.enabled === false) {
    return problem(`${whose} has pull requests disabled`)
  }
  const { enabled, githubRepositoriesAllowed } = ports.config.agents.vcs
  if (!enabled) return problem('version control is disabled on the platform')
  const outside = githubRepositoryProblem(spec, repository, githubRepositoriesAllowed)
  if (outside !== undefined) return problem(outside)
  const denied = repositoryProblem(provider, repository)
  if (denied !== undefined) return problem(denied.message)
  const auth = resolveVcsAuth(provider, ports)
  if (auth.kind !== 'found') return problem(auth.message)
  const address = forgeAddress(spec)
  if (address === undefined) return problem(`${whose} has no usable apiBaseUrl`)
  return { kind: 'found', provider, address }
}

function problem(message: string): AddressedProvider {
  return { kind: 'problem', message }
}

/** What is proposed. Texts are those of now: nothing of them is kept in the status of the run. */
export function proposalOf(
  run: AgentRun,
  { spec }: VersionControlProvider,
  ports: ProposalPorts,
): Proposal {
  const { repository = '', headBranch: head = '', baseBranch: base } = run.status?.vcs ?? {}
  const { pullRequest = {} } = spec.defaults ?? {}
  const { titleTemplate, bodyTemplate, draft = false, labels = [], reviewers = [] } = pullRequest
  const resolution = resolveWork(run, run.spec.workflow?.steps.at(-1), ports)
  const work = resolution.kind === 'resolved' ? resolution.work : undefined
  const context: TemplateContext | undefined =
    work &&
    templateContext({
      ...work,
      run,
      inputs: inputsOf(work.metadata, work.parameters),
      vcs: work.vcs?.context,
    })
  const { summary, text, source } = work?.implementation ?? {}
  const title = proposalTitle({
    ...{ template: titleTemplate, context },
    fallback: summary || text || `Work of ${run.metadata.name}`,
  })
  const body = proposalBody({
    ...{ template: bodyTemplate, context },
    fallback: run.status?.summary ?? summary ?? '',
  })
  const { uid = '' } = run.metadata
  const footer = footerOf(run, source?.url)
  return {
    ...{ repository, head, base, uid, title, draft, labels, reviewers },
    body: body === '' ? footer : `${body}\n\n---\n${footer}`,
  }
}

/** Names of objects and numbers only, and the address of the issue if it is one. */
function footerOf({ metadata, spec, status }: AgentRun, issueUrl: string | undefined): string {
  const { totalTokens, dollars } = status?.usage ?? {}
  const url = URL.parse(issueUrl ?? '')
  const isLink = url !== null && /^https?:$/.test(url.protocol) && url.password === ''
  return [
    `Run \`${metadata.namespace}/${metadata.name}\` of agent \`${spec.agentRef.name}\``,
    ...(isLink ? [`issue <${url.href}>`] : []),
    ...(totalTokens === undefined ? [] : [`${totalTokens} tokens`]),
    ...(dollars === undefined ? [] : [`$${dollars}`]),
  ].join(' · ')
}

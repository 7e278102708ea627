import type { ImplementationSource, VersionControlProvider } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { githubRepositoryProblem } from '../../../primitives-policy/github-repositories.ts'
import type { ResolutionPorts } from '../../agent-run/resolve/resolution.ts'
import { platformSecretProblem } from '../../agent-run/resolve/secret-policy.ts'
import { repositoryProblem } from '../../agent-run/resolve/vcs.ts'
import { addressProblem } from '../../version-control-provider/address-problem.ts'
import { type ForgeAddress, forgeAddress } from '../../version-control-provider/forge-address.ts'
import { readSignIn } from '../../version-control-provider/sign-in.ts'

export type SourceForge =
  | {
      readonly kind: 'found'
      readonly provider: VersionControlProvider
      readonly address: ForgeAddress
    }
  | { readonly kind: 'problem'; readonly message: string }

/**
 * The provider with which the issues of a source are listed, and its address. The owner of the provider decides what it
 * may be used for: its policies apply to the source as to a run.
 */
export function sourceForge(
  { metadata: { namespace }, spec }: ImplementationSource,
  ports: Omit<ResolutionPorts, 'claims'>,
): SourceForge {
  const { vcsRef, scope, provider: service } = spec
  const name = vcsRef?.name ?? ''
  const repository = scope?.repository ?? ''
  const provider = ports.caches.versionControlProviders.get(formatKey({ namespace, name }))
  const whose = `VersionControlProvider ${name}`
  if (provider === undefined) return problem(`${whose} does not exist`)
  if (provider.spec.provider !== service) return problem(`${whose} is not one of ${service}`)
  if (provider.spec.capabilities?.read === false) return problem(`${whose} does not allow reading`)
  const { enabled, githubRepositoriesAllowed } = ports.config.agents.vcs
  if (!enabled) return problem('version control is disabled on the platform')
  const outside = githubRepositoryProblem(provider.spec, repository, githubRepositoriesAllowed)
  if (outside !== undefined) return problem(outside)
  const denied = repositoryProblem(provider, repository)
  if (denied !== undefined) return problem(denied.message)
  const read = readSignIn(provider.spec)
  if ('problem' in read) return problem(read.problem.message)
  const { signIn } = read
  if (signIn.method !== 'token' && signIn.method !== 'app') return problem(`${whose} has no token`)
  const wrong = addressProblem(provider.spec, signIn)
  if (wrong !== undefined) return problem(`${whose}: ${wrong}`)
  const secret = signIn.method === 'token' ? signIn.secret : signIn.privateKey
  const use = { name: secret.name, purpose: `which contains the credentials of ${whose}` }
  const refused = platformSecretProblem(use, namespace, ports)
  if (refused !== undefined) return problem(refused.message)
  const address = forgeAddress(provider.spec)
  if (address === undefined) return problem(`${whose} has no usable apiBaseUrl`)
  return { kind: 'found', provider, address }
}

function problem(message: string): SourceForge {
  return { kind: 'problem', message }
}

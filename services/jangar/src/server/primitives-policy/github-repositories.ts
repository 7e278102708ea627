import { firstMatch } from '@agents/patterns'
import { remoteUrl } from '../../run-contract/repository/clone-url.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { VcsContext } from '../../run-contract/vcs-context.ts'

/** The fields of a provider that determine which service it connects to. */
type Service = Pick<
  VcsContext,
  'provider' | 'cloneBaseUrl' | 'webBaseUrl' | 'cloneProtocol' | 'sshHost' | 'sshUser'
>

/**
 * Why the platform does not allow runs to use the repository. Undefined if it does, or if the service is not GitHub.
 */
export function githubRepositoryProblem(
  service: Service,
  repository: string,
  allowed: readonly string[] | undefined,
): string | undefined {
  if (allowed === undefined || !isGithub(service, repository)) return undefined
  const patterns = allowed.map((pattern) => pattern.toLowerCase())
  if (firstMatch(patterns, repository.toLowerCase()) !== undefined) return undefined
  return `the platform does not allow the repository ${repository}; JANGAR_GITHUB_REPOS_ALLOWED allows ${allowed.join(', ') || 'none'}`
}

/** A generic provider also counts as GitHub if its remote is on a host of GitHub. */
function isGithub(service: Service, repository: string): boolean {
  if (service.provider === 'github') return true
  // The protocol depends on the credentials, so both are checked.
  return (['https', 'ssh'] as const).some((cloneProtocol) => {
    const host = remoteHost({ ...service, cloneProtocol, repository, mode: 'read-only' })
    return host !== undefined && /(^|\.)github\.com\.?$/.test(host)
  })
}

/** Undefined if the address is invalid: nothing can be fetched then. */
function remoteHost(vcs: VcsContext): string | undefined {
  try {
    return URL.parse(remoteUrl(vcs))?.hostname.toLowerCase()
  } catch (error) {
    if (error instanceof RunFailure) return undefined
    throw error
  }
}

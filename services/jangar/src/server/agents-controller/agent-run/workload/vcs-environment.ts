import type { EnvVar } from '@agents/kube'
import { literal } from '../../../jobs/literal.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedVcs, VcsAuth } from '../resolve/resolution.ts'

export const sshFolder = '/var/run/secrets/agents/vcs/ssh'
export const knownHostsFolder = '/var/run/secrets/agents/vcs/known-hosts'

/** Variables that describe the repository to the agent's container, without credentials. Unknown values are not set. */
export function vcsEnvironment(
  { context }: ResolvedVcs,
  { agents }: AgentsPorts['config'],
): EnvVar[] {
  const { defaults = {} } = context
  const { commitAuthorName: name, commitAuthorEmail: email, pullRequest = {} } = defaults
  const rateLimits = agents.vcs.pullRequestRateLimits[context.provider]
  return [
    ...literals({
      VCS_PROVIDER: context.provider,
      VCS_PROVIDER_NAME: context.providerName,
      VCS_API_BASE_URL: context.apiBaseUrl,
      VCS_CLONE_BASE_URL: context.cloneBaseUrl,
      VCS_WEB_BASE_URL: context.webBaseUrl,
      VCS_REPOSITORY: context.repository,
      VCS_BASE_BRANCH: context.baseBranch,
      VCS_HEAD_BRANCH: context.headBranch,
      VCS_CLONE_PROTOCOL: context.cloneProtocol,
      VCS_SSH_HOST: context.sshHost,
      VCS_SSH_USER: context.sshUser,
      VCS_BRANCH_TEMPLATE: defaults.branchTemplate,
      VCS_BRANCH_CONFLICT_SUFFIX_TEMPLATE: defaults.branchConflictSuffixTemplate,
      VCS_COMMIT_AUTHOR_NAME: name,
      VCS_COMMIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      VCS_PR_TITLE_TEMPLATE: pullRequest.titleTemplate,
      VCS_PR_BODY_TEMPLATE: pullRequest.bodyTemplate,
      VCS_PR_RATE_LIMITS: rateLimits && JSON.stringify(rateLimits),
      VCS_PR_DRAFT: pullRequest.draft?.toString(),
      VCS_WRITE_ENABLED: String(context.writeEnabled === true),
      VCS_PULL_REQUESTS_ENABLED: String(context.pullRequestsEnabled === true),
      VCS_MODE: context.mode,
    }),
  ]
}

/** The credentials of the repository, for the platform's containers only. */
export function credentialEnvironment(auth: VcsAuth): EnvVar[] {
  switch (auth.kind) {
    case 'none':
      return []
    case 'token': {
      const { name, key } = auth.secret
      return [
        { name: 'VCS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
        ...literals({ VCS_USERNAME: auth.username }),
      ]
    }
    case 'ssh':
      return literals({
        VCS_SSH_KEY_PATH: `${sshFolder}/${auth.secret.key}`,
        VCS_SSH_KNOWN_HOSTS_PATH: auth.knownHosts && `${knownHostsFolder}/${auth.knownHosts.key}`,
      })
  }
}

export function literals(values: Readonly<Record<string, string | undefined>>): EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: literal(value) }],
  )
}

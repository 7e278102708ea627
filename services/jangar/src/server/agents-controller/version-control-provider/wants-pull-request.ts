import type { AgentRun, VersionControlProvider } from '@agents/jangar-api'
import { forgeAddress } from './forge-address.ts'
import { readSignIn } from './sign-in.ts'

type Vcs = NonNullable<NonNullable<AgentRun['status']>['vcs']>

/** Whether the platform opens a pull request for what the run pushed. */
export function wantsPullRequest({ spec }: VersionControlProvider, vcs: Vcs): boolean {
  const { pullRequest } = spec.defaults ?? {}
  if (spec.capabilities?.pullRequests === false || pullRequest?.enabled === false) return false
  // A run that may push to the base branch has nothing to propose.
  if (vcs.pushed !== true || !vcs.headBranch || vcs.headBranch === vcs.baseBranch) return false
  const read = readSignIn(spec)
  const hasToken =
    'signIn' in read && (read.signIn.method === 'token' || read.signIn.method === 'app')
  return hasToken && forgeAddress(spec) !== undefined
}

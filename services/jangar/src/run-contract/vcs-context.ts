import { flag, oneOf, optional, type ReadBy, record, someText, text } from '../reader/reader.ts'

const pullRequestDefaults = record({
  enabled: optional(flag),
  draft: optional(flag),
  titleTemplate: optional(text),
  bodyTemplate: optional(text),
})

export const vcsService = oneOf(['github', 'gitlab', 'bitbucket', 'gitea', 'generic'])
export const cloneProtocol = oneOf(['https', 'ssh'])

/** The repository that a run works in, as the controller has resolved it. Never holds a credential. */
export const vcsContext = record({
  provider: vcsService,
  providerName: optional(text),
  repository: someText,
  /** A branch, a tag or a commit. If omitted, the remote's default branch. */
  baseBranch: optional(text),
  headBranch: optional(text),
  mode: oneOf(['read-write', 'read-only', 'none']),
  writeEnabled: optional(flag),
  pullRequestsEnabled: optional(flag),
  apiBaseUrl: optional(text),
  cloneBaseUrl: optional(text),
  webBaseUrl: optional(text),
  cloneProtocol: optional(cloneProtocol),
  sshHost: optional(text),
  sshUser: optional(text),
  defaults: optional(
    record({
      baseBranch: optional(text),
      branchTemplate: optional(text),
      branchConflictSuffixTemplate: optional(text),
      commitAuthorName: optional(text),
      commitAuthorEmail: optional(text),
      pullRequest: optional(pullRequestDefaults),
    }),
  ),
})

export type VcsContext = ReadBy<typeof vcsContext>

import {
  boolean,
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { auth } from './auth.ts'

const repositoryPolicy = object(
  'Which repositories may be used. Patterns match owner/name, with * for anything; deny wins.',
  {
    allow: optional(
      list('Repositories that may be used; empty or left out, any.', string('One pattern.'), {
        maxItems: 200,
      }),
    ),
    deny: optional(
      list('Repositories that may not be used.', string('One pattern.'), { maxItems: 200 }),
    ),
  },
)

const capabilities = object('What runs may do here; what is left out is allowed.', {
  read: optional(boolean('Clone and fetch.')),
  write: optional(boolean('Push branches.')),
  pullRequests: optional(boolean('Open pull requests.')),
})

const pullRequest = object('How pull requests are opened.', {
  enabled: optional(boolean('Open one; left out, yes.')),
  draft: optional(boolean('Open it as a draft.')),
  titleTemplate: optional(string('Its title; may hold templates.')),
  bodyTemplate: optional(string('Its text; may hold templates.')),
})

const defaults = object('What runs get when they do not say so themselves.', {
  baseBranch: optional(string('The branch that work starts from.')),
  branchTemplate: optional(string('Name of the branch that work goes to; may hold templates.')),
  branchConflictSuffixTemplate: optional(
    string('Added to the branch name when another run works on that branch; may hold templates.'),
  ),
  commitAuthorName: optional(string('Author name of commits.')),
  commitAuthorEmail: optional(string('Author address of commits.')),
  pullRequest: optional(pullRequest),
})

export const versionControlProvider = defineKind({
  ...platform,
  group: group.agents,
  kind: 'VersionControlProvider',
  plural: 'versioncontrolproviders',
  shortNames: ['vcp'],
  description:
    'A Git hosting service: where it is, how to sign in, which repositories may be used and what runs may do there.',
  spec: object('The service and the rules for using it.', {
    provider: oneOfStrings('Which service.', ['github', 'gitlab', 'bitbucket', 'gitea', 'generic']),
    apiBaseUrl: optional(string('Base address of its API.', { format: 'uri' })),
    cloneBaseUrl: optional(string('Base address to clone from.', { format: 'uri' })),
    webBaseUrl: optional(string('Base address for people.', { format: 'uri' })),
    cloneProtocol: optional(oneOfStrings('How to clone.', ['https', 'ssh'])),
    sshHost: optional(string('Host to reach by SSH.')),
    sshUser: optional(string('User to be on that host; left out, git.')),
    auth: optional(auth),
    repositoryPolicy: optional(repositoryPolicy),
    capabilities: optional(capabilities),
    defaults: optional(defaults),
  }),
  status: statusObject({
    lastValidatedAt: optional(
      timestamp('When the settings were last checked, as of the last change of this status.'),
    ),
  }),
  columns: [
    ready,
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type VersionControlProvider = ObjectOf<typeof versionControlProvider>

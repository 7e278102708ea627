import {
  boolean,
  defineKind,
  integer,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { branchName } from '../branch-name.ts'
import { auth } from './auth.ts'

const repositoryPolicy = object(
  'Which repositories may be used. Patterns match owner/name; * matches any text. deny takes precedence.',
  {
    allow: optional(
      list('Repositories that may be used. If empty or omitted, any.', string('A pattern.'), {
        maxItems: 200,
      }),
    ),
    deny: optional(
      list('Repositories that may not be used.', string('A pattern.'), { maxItems: 200 }),
    ),
  },
)

const branchPolicy = object(
  'Which branches runs may push to. Patterns match the whole name; * matches any text, including /.',
  {
    allowBaseBranch: optional(
      boolean(
        'Allow pushes to the base branch and to the default branch of the remote. If omitted, defaults to false.',
      ),
    ),
    protected: optional(
      list(
        'Branches that may not be pushed to. If omitted, defaults to main, master and release/*, except for the base branch where allowBaseBranch is true.',
        string('A pattern.'),
        { maxItems: 200 },
      ),
    ),
    allow: optional(
      list(
        'The only branches that may be pushed to. If empty or omitted, any that is not protected.',
        string('A pattern.'),
        { maxItems: 200 },
      ),
    ),
  },
)

const pushPolicy = object(
  'What runs may push. Patterns match the whole path; * matches any text, including /. Submodules and symbolic links out of the repository are never pushed.',
  {
    allowedPaths: optional(
      list('The only paths that may be changed. If empty or omitted, any.', string('A pattern.'), {
        maxItems: 200,
      }),
    ),
    deniedPaths: optional(
      list(
        'Paths that may not be changed, regardless of case. Takes precedence over allowedPaths. If omitted, defaults to definitions of CI, such as .github/workflows/*; an empty list denies none.',
        string('A pattern.'),
        { maxItems: 200 },
      ),
    ),
    maxChangedFiles: optional(
      integer('Largest number of files that a run may change. If omitted, defaults to 10000.', {
        format: 'int32',
        minimum: 1,
        maximum: 1_000_000,
      }),
    ),
    maxBytes: optional(
      integer(
        'Largest size of the files in the new commits, in bytes. If omitted, only the size of the pack is limited, to 1 GiB.',
        { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      ),
    ),
    allowTokens: optional(
      boolean(
        'Allow text that has the form of a token or private key, such as test data. If omitted, defaults to false.',
      ),
    ),
  },
)

const capabilities = object('What runs may do. An omitted capability is allowed.', {
  read: optional(boolean('Clone and fetch.')),
  write: optional(boolean('Push branches.')),
  pullRequests: optional(boolean('Open pull requests.')),
})

const pullRequest = object(
  'How the platform opens pull requests for what runs have pushed. Needs provider github, gitlab, gitea or bitbucket (Bitbucket Cloud), and a token or an app.',
  {
    enabled: optional(
      boolean(
        'Whether a pull request is opened when a run has succeeded and pushed. If omitted, defaults to true.',
      ),
    ),
    draft: optional(boolean('Whether it is opened as a draft. If omitted, defaults to false.')),
    titleTemplate: optional(
      string('Title; may contain templates. If omitted, defaults to the summary of the work.'),
    ),
    bodyTemplate: optional(
      string(
        'Description; may contain templates. If omitted, defaults to the last message of the agent. The run is named below it.',
      ),
    ),
    labels: optional(
      list(
        'Labels to add. On Gitea, they must exist; Bitbucket has none.',
        string('A label.', { minLength: 1, maxLength: 100 }),
        {
          maxItems: 20,
        },
      ),
    ),
    autoMerge: optional(
      boolean(
        'Whether the service is asked to merge it once its checks and required reviews allow that. It is not asked where nothing is required. Needs a pushPolicy that denies definitions of CI; Bitbucket cannot do it. If omitted, defaults to false.',
      ),
    ),
    reviewers: optional(
      list(
        'Users who are asked for a review; organisation/team is a team on GitHub and Gitea. On Bitbucket, a user is named by its UUID in braces.',
        string('A user or team.', { minLength: 1, maxLength: 200 }),
        { maxItems: 20 },
      ),
    ),
  },
)

const defaults = object('Defaults for runs.', {
  baseBranch: optional(withRules(string('The branch that work is based on.'), branchName)),
  branchTemplate: optional(
    string(
      'Name of the branch to push to; may contain templates, such as agents/{{ agentRun.name }}, or codex/{{ issueNumber }} with a parameter or metadata of the run.',
    ),
  ),
  branchConflictSuffixTemplate: optional(
    string('Suffix of the branch name if another run uses that branch; may contain templates.'),
  ),
  commitAuthorName: optional(string('Name of the author of commits.')),
  commitAuthorEmail: optional(string('Email address of the author of commits.')),
  pullRequest: optional(pullRequest),
})

export const versionControlProvider = defineKind({
  ...platform,
  group: group.agents,
  kind: 'VersionControlProvider',
  plural: 'versioncontrolproviders',
  shortNames: ['vcp'],
  description:
    'A Git hosting service: its URLs and credentials, which repositories may be used, and what runs may do.',
  spec: object('The service and the policies for its use.', {
    provider: oneOfStrings('The service.', ['github', 'gitlab', 'bitbucket', 'gitea', 'generic']),
    apiBaseUrl: optional(string('Base URL of the API.', { format: 'uri' })),
    cloneBaseUrl: optional(string('Base URL to clone from.', { format: 'uri' })),
    webBaseUrl: optional(string('Base URL of the web interface.', { format: 'uri' })),
    cloneProtocol: optional(oneOfStrings('Protocol to clone with.', ['https', 'ssh'])),
    sshHost: optional(string('SSH host.')),
    sshUser: optional(string('SSH user. If omitted, defaults to git.')),
    auth: optional(auth),
    repositoryPolicy: optional(repositoryPolicy),
    branchPolicy: optional(branchPolicy),
    pushPolicy: optional(pushPolicy),
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

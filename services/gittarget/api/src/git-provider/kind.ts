import {
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  withDefault,
  withRules,
} from '@agents/crd'
import { duration } from '../duration.ts'
import { globPattern } from '../glob.ts'
import { gitops } from '../group.ts'
import { immutable } from '../immutable.ts'
import { message, ready, reason } from '../printer-column.ts'
import { localRef, objectName } from '../reference.ts'

/** Neither host nor user may start with a dash: Git would parse it as an option. */
const user = '[A-Za-z0-9_][A-Za-z0-9._-]*@'
const host = '[A-Za-z0-9\\[]'
const scp = `${user}[A-Za-z0-9][A-Za-z0-9.-]*:`

const url = withRules(
  string(
    'URL of the repository: https://host/path, ssh://user@host/path or user@host:path. If the operator allows repositories on its own machine, also file:///path or http://127.0.0.1/path. Cannot be changed; create another GitProvider instead.',
    {
      minLength: 1,
      maxLength: 2048,
      pattern: `^(https?://${host}|ssh://(${user})?${host}|${scp}|file:///)[!-~]+$`,
    },
  ),
  {
    rule: "!self.startsWith('http://') || self.matches('^http://(localhost|127[.][0-9]+[.][0-9]+[.][0-9]+|\\\\[::1\\\\])(:[0-9]+)?/')",
    message:
      'must be an https URL, because http sends credentials unencrypted; http is allowed for loopback addresses only',
  },
  {
    rule: "!self.matches('^(https?://[^/]*@|ssh://[^/]*:[^/]*@)')",
    message: 'must not contain credentials; put them into the Secret named by secretRef',
  },
  {
    rule: "!self.matches('[?#]|%([^0-9a-fA-F]|.[^0-9a-fA-F]|.?$)')",
    message: 'must not contain a query, a fragment or an invalid % escape',
  },
  immutable('url cannot be changed; create another GitProvider instead'),
)

const knownHosts = object('ConfigMap or Secret with the host keys of the SSH server.', {
  kind: withDefault(
    oneOfStrings('Kind of the object with the host keys.', ['ConfigMap', 'Secret']),
    'ConfigMap',
  ),
  name: objectName('Name of the object, in the same namespace.'),
  key: withDefault(
    string('Key of the entry, in the format of ~/.ssh/known_hosts.', {
      minLength: 1,
      maxLength: 253,
      pattern: '^[-._a-zA-Z0-9]+$',
    }),
    'known_hosts',
  ),
})

const push = withRules(
  object('When changes are committed and pushed.', {
    commitWindow: withDefault(
      duration('How long to wait after the last change before committing. 0s commits immediately.'),
      '5s',
    ),
    maxWindow: withDefault(
      duration('Longest time that a change waits for a commit while other changes keep arriving.'),
      '30s',
    ),
  }),
  {
    rule: 'duration(self.commitWindow) <= duration(self.maxWindow)',
    message: 'commitWindow must not be longer than maxWindow',
    fieldPath: '.commitWindow',
  },
)

const committer = object('Committer of the commits.', {
  name: withDefault(
    string('Name of the committer.', {
      minLength: 1,
      maxLength: 128,
      pattern: '^[^<>\\x00-\\x1f\\x7f]+$',
    }),
    'GitTarget',
  ),
  email: withDefault(
    string('E-mail address of the committer.', {
      minLength: 3,
      maxLength: 254,
      pattern: '^[^<>@\\x00-\\x20\\x7f]+@[^<>@\\x00-\\x20\\x7f]+$',
    }),
    'gittarget@agents.invalid',
  ),
})

const commit = object('How commits are made.', {
  committer: withDefault(committer, { name: 'GitTarget', email: 'gittarget@agents.invalid' }),
  author: withDefault(
    oneOfStrings(
      'Author of the commits. FromChange is who made the change: the user of the request where the operator learns it, otherwise the field manager that the API server recorded. Changes of different authors make different commits. Where nobody is known, and always for Committer, it is the committer.',
      ['FromChange', 'Committer'],
    ),
    'FromChange',
  ),
  messageTemplate: optional(
    string(
      'Template of commit messages. Placeholders: {{ target }}, {{ branch }}, {{ path }}, {{ count }}, {{ summary }} and {{ files }}; any other placeholder is an error. If omitted, the message summarizes the change.',
      { minLength: 1, maxLength: 4096 },
    ),
  ),
  signing: optional(
    object('Signs commits with an SSH key. If omitted, commits are not signed.', {
      secretRef: localRef('Secret with the SSH private key, under ssh-privatekey or identity.'),
    }),
  ),
})

const spec = object('The repository and how to use it.', {
  url,
  secretRef: optional(
    localRef(
      'Secret with the credentials: an SSH key (ssh-privatekey, identity or sshPrivateKey), username and password, or bearerToken. If it contains ca.crt, only these certificates are trusted for HTTPS, otherwise those of the system. If omitted, the repository is used anonymously.',
    ),
  ),
  knownHostsRef: optional(knownHosts),
  allowedBranches: list(
    'Branches that GitTargets may write to. * matches any text without /.',
    globPattern('A branch name or pattern, such as main or release/*.'),
    { minItems: 1, maxItems: 64, 'x-kubernetes-list-type': 'set' },
  ),
  push: withDefault(push, { commitWindow: '5s', maxWindow: '30s' }),
  commit: withDefault(commit, {
    committer: { name: 'GitTarget', email: 'gittarget@agents.invalid' },
    author: 'FromChange',
  }),
})

const status = statusObject({
  canonicalURL: optional(
    string(
      'Normalized URL. Different spellings of the URL of a repository have the same normalized URL.',
    ),
  ),
  signingPublicKey: optional(
    string('Public key of the signing key, to be registered with the Git server.'),
  ),
})

export const gitProvider = defineKind({
  ...gitops,
  kind: 'GitProvider',
  plural: 'gitproviders',
  shortNames: ['gp'],
  scope: 'Namespaced',
  description:
    'A Git repository that GitTargets of the same namespace may write to: its URL, its credentials, and the allowed branches.',
  spec,
  status,
  columns: [
    ready,
    reason,
    { name: 'URL', type: 'string', jsonPath: '.spec.url', description: 'URL of the repository.' },
    {
      name: 'Branches',
      type: 'string',
      jsonPath: '.spec.allowedBranches',
      description: 'Branches that may be written to.',
      priority: 1,
    },
    message,
  ],
  summary: 'Ready',
})

export type GitProvider = ObjectOf<typeof gitProvider>
